<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\NodeTraverser;
use PhpParser\Parser;
use PhpParser\ParserFactory;

/**
 * Wraps the lines of one file until nothing changes.
 *
 * @internal
 */
final readonly class Wrapper
{
    private const ROUNDS = 10;

    private Parser $parser;

    private CodeComparison $comparison;

    private StringSplitter $splitter;

    public function __construct()
    {
        $this->parser = (new ParserFactory)->createForHostVersion();
        $this->comparison = new CodeComparison($this->parser);
        $this->splitter = new StringSplitter($this->parser);
    }

    /** @throws UnableToWrap */
    public function wrap(string $code): string
    {
        if (! self::isWide($code)) {
            return $code;
        }

        $wrapped = $code;

        for ($round = 0; $round < self::ROUNDS; $round++) {
            $before = $wrapped;
            $broken = $this->once((new CommentWrapper)->wrap($before));
            // Only what no break between tokens has made narrower.
            $wrapped = $broken === $before ? $this->splitter->split($broken, $this->once(...)) : $broken;

            if ($wrapped === $before) {
                $this->comparison->assertSame($code, $wrapped);

                return $wrapped;
            }
        }

        throw UnableToWrap::because('its lines still changed after '.self::ROUNDS.' rounds.');
    }

    private function once(string $code): string
    {
        $statements = $this->parser->parse($code) ?? [];
        $tokens = Tokens::of($this->parser->getTokens());
        $finder = new GroupFinder($tokens);
        (new NodeTraverser($finder))->traverse($statements);
        $groups = $finder->groups();

        return (new LineBreaker(new BreakRules($groups), $groups))->breakAll(Layout::of($tokens), $tokens->count())
            ->render();
    }

    private static function isWide(string $code): bool
    {
        foreach (explode("\n", $code) as $line) {
            if (mb_strlen($line) > LineBreaker::WIDTH) {
                return true;
            }
        }

        return false;
    }
}
