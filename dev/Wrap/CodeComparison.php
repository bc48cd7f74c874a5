<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Node;
use PhpParser\Node\Scalar\String_;
use PhpParser\NodeDumper;
use PhpParser\NodeTraverser;
use PhpParser\NodeVisitor;
use PhpParser\NodeVisitorAbstract;
use PhpParser\Parser;
use PhpToken;

/**
 * Proves that two texts are the same code: the same syntax tree and the same tokens, but for trailing commas and for
 * the literals that a string is concatenated from; the same words in the comments.
 *
 * @internal
 */
final readonly class CodeComparison
{
    /** Around what a string has, none of which is a token of PHP. */
    private const START = "\0start";

    private const VALUE = "\0value";

    private const END = "\0end";

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
        $withoutEmpty = new NodeTraverser(new ConcatenationFolder, new class extends NodeVisitorAbstract
        {
            public function leaveNode(Node $node): ?int
            {
                return $node instanceof Node\Stmt\Nop ? NodeVisitor::REMOVE_NODE : null;
            }
        });

        return (new NodeDumper)->dump($withoutEmpty->traverse($this->parser->parse($code) ?? []));
    }

    /** @return list<string> a string as its value, however many literals it is in */
    private static function tokens(string $code): array
    {
        $texts = [];
        $isInString = false;

        foreach (PhpToken::tokenize($code) as $token) {
            if ($token->isIgnorable()) {
                continue;
            }

            if (in_array($token->text, [')', ']', '}'], true) && ($texts[count($texts) - 1] ?? '') === ',') {
                array_pop($texts);
            }

            $isQuote = $token->is('"');
            $isInString = $isQuote ? ! $isInString : $isInString;

            if ($token->is(T_CONSTANT_ENCAPSED_STRING)) {
                self::beginString($texts);
                array_push($texts, self::VALUE.String_::parse($token->text), self::END);
            } elseif ($isQuote && $isInString) {
                self::beginString($texts);
            } elseif ($isQuote) {
                $texts[] = self::END;
            } elseif ($isInString && $token->is(T_ENCAPSED_AND_WHITESPACE)) {
                $texts[] = self::VALUE.String_::parseEscapeSequences($token->text, '"');
            } else {
                $texts[] = $token->text;
            }
        }

        return self::merged($texts);
    }

    /**
     * A string that is concatenated to the one before goes on with it.
     *
     * @param list<string> $texts
     */
    private static function beginString(array &$texts): void
    {
        $last = count($texts) - 1;

        if ($last >= 1 && $texts[$last] === '.' && $texts[$last - 1] === self::END) {
            array_splice($texts, -2);
        } else {
            $texts[] = self::START;
        }
    }

    /**
     * @param list<string> $texts
     * @return list<string> with one value for those that follow each other
     */
    private static function merged(array $texts): array
    {
        $merged = [];

        foreach ($texts as $text) {
            $last = count($merged) - 1;

            if (str_starts_with($text, self::VALUE) && $last >= 0 && str_starts_with($merged[$last], self::VALUE)) {
                $merged[$last] .= substr($text, strlen(self::VALUE));
            } else {
                $merged[] = $text;
            }
        }

        return $merged;
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
