// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev Answers every call with what it was given, so that a test can answer anything.
contract ScriptedConsumer {
    struct Script {
        bool scripted;
        bool reverts;
        bytes data;
    }

    mapping(bytes4 selector => Script) private _scripts;

    /// Makes a getter answer (or revert with) the data.
    function script(bytes4 selector, bool reverts, bytes calldata data) external {
        _scripts[selector] = Script(true, reverts, data);
    }

    fallback() external {
        Script storage scripted = _scripts[msg.sig];
        bytes memory data = scripted.data;
        bool reverts = scripted.reverts || !scripted.scripted;
        assembly ("memory-safe") {
            if reverts {
                revert(add(data, 0x20), mload(data))
            }
            return(add(data, 0x20), mload(data))
        }
    }
}

/// @dev Burns all gas that it gets, whatever it is asked.
contract EndlessGas {
    fallback() external {
        uint256 i = 0;
        while (true) {
            unchecked {
                ++i;
            }
        }
    }
}

/// @dev Answers as many bytes as its gas pays for.
contract EndlessData {
    fallback() external {
        assembly ("memory-safe") {
            // Memory of n words costs 3 n + n^2 / 512 gas.
            let size := 0x20
            for {} lt(add(mul(3, div(size, 0x10)), div(mul(div(size, 0x10), div(size, 0x10)), 512)), gas()) {} {
                size := mul(size, 2)
            }
            return(0, size)
        }
    }
}

/// @dev Reverts with as many bytes as its gas pays for.
contract RevertBomb {
    fallback() external {
        assembly ("memory-safe") {
            let size := 0x20
            for {} lt(add(mul(3, div(size, 0x10)), div(mul(div(size, 0x10), div(size, 0x10)), 512)), gas()) {} {
                size := mul(size, 2)
            }
            revert(0, size)
        }
    }
}

/// @dev Declares another policy in every block.
contract FickleConsumer {
    function provider() external pure returns (string memory) {
        return "microblog";
    }

    function conditions() external view returns (string[3][] memory list) {
        list = new string[3][](1);
        list[0] = ["followers", "gt", block.number % 2 == 0 ? "1000" : "2000"];
    }
}
