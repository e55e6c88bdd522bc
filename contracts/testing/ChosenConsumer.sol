// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {VerifyOnce} from "../VerifyOnce.sol";

/// @dev A consumer whose policy and cutoff a test chooses.
contract ChosenConsumer is VerifyOnce {
    string private _provider;
    Condition[] private _conditions;
    uint256 private _cutoffBlock;

    constructor(address registry_, string memory provider_, Condition[] memory conditions_) VerifyOnce(registry_) {
        _provider = provider_;
        for (uint256 i = 0; i < conditions_.length; ++i) {
            _conditions.push(conditions_[i]);
        }
    }

    function setCutoffBlock(uint256 cutoffBlock_) external {
        _cutoffBlock = cutoffBlock_;
    }

    function enroll(bytes32 identityHash, uint40 expiration, bytes calldata signature) external {
        _verifyOnce(identityHash, expiration, signature);
    }

    function provider() public view override returns (string memory) {
        return _provider;
    }

    function conditions() public view override returns (Condition[] memory) {
        return _conditions;
    }

    function cutoffBlock() public view override returns (uint256) {
        return _cutoffBlock;
    }
}
