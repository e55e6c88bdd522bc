// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev Answers a call with what a test chose for it.
contract ScriptedConsumer {
    struct Script {
        bool reverts;
        /// Its code is the answer, after a first byte of 0: cheaper to read than storage.
        address data;
    }

    mapping(bytes4 selector => Script) private _scripts;

    /// Makes a function answer (or revert with) the data, of at most 24 575 bytes.
    function script(bytes4 selector, bool reverts, bytes calldata data) external {
        // Copies what stands 11 bytes behind the start of this code, and returns it.
        bytes memory initCode = abi.encodePacked(hex"600b5981380380925939f300", data);
        address stored;
        assembly ("memory-safe") {
            stored := create(0, add(initCode, 0x20), mload(initCode))
        }
        require(stored != address(0), "not stored");
        _scripts[selector] = Script(reverts, stored);
    }

    fallback() external {
        Script storage scripted = _scripts[msg.sig];
        (address data, bool reverts) = (scripted.data, scripted.reverts || scripted.data == address(0));
        assembly ("memory-safe") {
            let size := sub(extcodesize(data), iszero(iszero(data)))
            extcodecopy(data, 0, 1, size)
            if reverts {
                revert(0, size)
            }
            return(0, size)
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

/// @dev A good policy, but for a cutoff that burns all gas.
contract EndlessCutoff is EndlessGas {
    function provider() external pure returns (string memory) {
        return "microblog";
    }

    function conditions() external pure returns (string[3][] memory list) {
        list = new string[3][](1);
        list[0] = ["followers", "gt", "1000"];
    }
}
