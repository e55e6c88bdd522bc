// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @dev Accepts every signature, and is deployed by {ToyFactory}.
contract ToyWallet {
    function isValidSignature(bytes32, bytes calldata) external pure returns (bytes4) {
        return 0x1626ba7e;
    }
}

/// @dev Deploys a {ToyWallet}, in an honest way and in others.
contract ToyFactory {
    function deploy(bytes32 salt) external {
        new ToyWallet{salt: salt}();
    }

    function deployAndRevert(bytes32 salt) external {
        new ToyWallet{salt: salt}();
        revert("changed my mind");
    }

    /// Deploys nothing, and asks whoever calls to run what it is told as well.
    function callBack(bytes calldata data) external {
        (bool success, ) = msg.sender.call(data);
        require(success, "not called back");
    }

    function predict(bytes32 salt) external view returns (address) {
        bytes32 code = keccak256(type(ToyWallet).creationCode);
        return address(uint160(uint256(keccak256(abi.encodePacked(hex"ff", address(this), salt, code)))));
    }
}

/// @dev Answers the magic value, followed or preceded by something else.
contract AlmostWallet {
    bytes private _answer;

    constructor(bytes memory answer) {
        _answer = answer;
    }

    fallback() external {
        bytes memory answer = _answer;
        assembly ("memory-safe") {
            return(add(answer, 0x20), mload(answer))
        }
    }
}

/// @dev Changes its own storage while it checks, which a view must not.
contract WritingWallet {
    uint256 private _checks;

    function isValidSignature(bytes32, bytes calldata) external returns (bytes4) {
        ++_checks;
        return 0x1626ba7e;
    }
}
