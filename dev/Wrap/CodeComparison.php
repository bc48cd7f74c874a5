<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Node;
use PhpParser\NodeDumper;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitor;
use PhpParser\NodeVisitorAbstract;
use PhpParser\Parser;
use PhpToken;

/**
 * Proves that two texts are the same code: the same syntax tree, the same tokens but for trailing commas,
 * the same words in the comments.
 *
 * @internal
 */
final readonly class CodeComparison
{
    public function __construct(private Parser $parser) {}

    /** @throws UnableToWrap */
    public function assertSame(string $before, string $after): void
    {
        if ($this->tree($before) !== $this->tree($after)) {
            throw UnableToWrap::because('its syntax tree would change.');
        }

        if (self::tokens($before) !== self::tokens($after)) {
            throw UnableToWrap::because('its tokens would change.');
        }

        if (self::docblocks($before) !== self::docblocks($after)) {
            throw UnableToWrap::because('its docblocks would change.');
        }

        if (self::commentWords($before) !== self::commentWords($after)) {
            throw UnableToWrap::because('its comments would change.');
        }
    }

    private function tree(string $code): string
    {
        // Only a comment makes the parser put an empty statement at the end of a block.
        $withoutEmpty = new NodeTraverser(new class extends NodeVisitorAbstract
        {
            public function leaveNode(Node $node): ?int
            {
                return $node instanceof Node\Stmt\Nop ? NodeVisitor::REMOVE_NODE : null;
            }
        });

        return (new NodeDumper)->dump($withoutEmpty->traverse($this->parser->parse($code) ?? []));
    }

    /** @return list<string> */
    private static function tokens(string $code): array
    {
        $texts = [];

        foreach (PhpToken::tokenize($code) as $token) {
            if ($token->isIgnorable()) {
                continue;
            }

            if (in_array($token->text, [')', ']', '}'], true) && ($texts[count($texts) - 1] ?? '') === ',') {
                array_pop($texts);
            }

            $texts[] = $token->text;
        }

        return $texts;
    }

    /** @return list<string> each without white space and the stars at the starts of its lines */
    private static function docblocks(string $code): array
    {
        $docblocks = [];

        foreach (PhpToken::tokenize($code) as $token) {
            if ($token->is(T_DOC_COMMENT)) {
                $docblocks[] = (string) preg_replace(['/\s+/', '/,}/'], ['', '}'], self::withoutStars($token->text));
            }
        }

        return $docblocks;
    }

    /** @return list<string> in no order, as a comment behind code moves to the line above */
    private static function commentWords(string $code): array
    {
        $words = [];

        foreach (PhpToken::tokenize($code) as $token) {
            if ($token->is(T_COMMENT)) {
                $text = (string) preg_replace('~^(//|#)~', '', self::withoutStars($token->text));
                preg_match_all('~\S+~', $text, $match);
                array_push($words, ...$match[0]);
            }
        }

        sort($words);

        return $words;
    }

    private static function withoutStars(string $comment): string
    {
        return (string) preg_replace('~^\s*(/\*\*?|\*(?!/))|\*/$~m', '', $comment);
    }
}
