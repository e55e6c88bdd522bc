// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC1155} from "@openzeppelin/contracts/token/ERC1155/ERC1155.sol";
import {ERC721} from "@openzeppelin/contracts/token/ERC721/ERC721.sol";
import {IERC1155Receiver} from "@openzeppelin/contracts/token/ERC1155/IERC1155Receiver.sol";
import {IERC165} from "@openzeppelin/contracts/utils/introspection/IERC165.sol";

import {BatchExecutorFixture} from "./fixtures/BatchExecutorFixture.sol";
import {vm} from "./fixtures/Vm.sol";

contract Collectible is ERC721("Collectible", "C") {
    function mint(address to) external {
        _safeMint(to, 1);
    }
}

contract Tokens is ERC1155("") {
    function mint(address to) external {
        _mint(to, 1, 5, "");
    }

    function mintBatch(address to) external {
        uint256[] memory ids = new uint256[](2);
        uint256[] memory values = new uint256[](2);
        (ids[0], ids[1], values[0], values[1]) = (2, 3, 6, 7);
        _mintBatch(to, ids, values, "");
    }
}

contract BatchExecutorReceiveTest is BatchExecutorFixture {
    function test_receive_TakesEtherWithTheStipendAlone() public {
        vm.deal(address(this), 1 ether);
        // A call with a value has 2,300 gas of its own, as `transfer` gives.
        (bool success, ) = address(account).call{value: 1 ether, gas: 0}("");
        vm.assertTrue(success);
        vm.assertEq(address(account).balance, 11 ether, "the ether arrives");
    }

    function testFuzz_fallback_TakesEtherWithAnyData(bytes8 data) public {
        vm.deal(address(this), 1 ether);
        (bool success, ) = address(account).call{value: 1 ether}(bytes.concat(hex"00000000", data));
        vm.assertTrue(success);
        vm.assertEq(address(account).balance, 11 ether, "the ether arrives");
    }

    function test_onERC721Received_TakesAToken() public {
        Collectible collectible = new Collectible();
        collectible.mint(address(account));
        vm.assertEq(collectible.ownerOf(1), address(account), "the token arrives");
    }

    function test_onERC1155Received_TakesTokens() public {
        Tokens tokens = new Tokens();
        tokens.mint(address(account));
        vm.assertEq(tokens.balanceOf(address(account), 1), 5, "the tokens arrive");
    }

    function test_onERC1155BatchReceived_TakesTokens() public {
        Tokens tokens = new Tokens();
        tokens.mintBatch(address(account));
        vm.assertEq(tokens.balanceOf(address(account), 2), 6, "the first tokens arrive");
        vm.assertEq(tokens.balanceOf(address(account), 3), 7, "the second tokens arrive");
    }

    function test_supportsInterface_NamesTheReceiver() public view {
        vm.assertTrue(account.supportsInterface(type(IERC1155Receiver).interfaceId), "ERC-1155 receiver");
        vm.assertTrue(account.supportsInterface(type(IERC165).interfaceId), "ERC-165");
        vm.assertTrue(!account.supportsInterface(0xffffffff), "never this one");
    }
}
