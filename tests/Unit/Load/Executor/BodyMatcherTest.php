<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Executor;

use Headroom\Load\Executor\BodyMatcher;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class BodyMatcherTest extends TestCase
{
    #[Test]
    public function a_text_is_found_wherever_the_body_is_cut(): void
    {
        foreach (['needle', 'n', 'ne'] as $text) {
            $body = "nee {$text}, nee";

            for ($size = 1; $size <= strlen($body); $size++) {
                self::assertTrue(self::found($text, str_split($body, $size)), "{$text} in pieces of {$size}");
            }
        }
    }

    #[Test]
    public function a_text_that_is_not_there_is_not_found(): void
    {
        self::assertFalse(self::found('needle', ['nee', 'dl', ' e']));
        self::assertFalse(self::found('needle', ['need', 'needl', 'le']));
        self::assertFalse(self::found('needle', []));
    }

    #[Test]
    public function the_body_before_does_not_count(): void
    {
        $matcher = new BodyMatcher('needle');
        $matcher->read('needle need');
        $matcher->reset();
        $matcher->read('le');

        self::assertFalse($matcher->isFound());
    }

    /**
     * @param non-empty-string $text
     * @param list<string> $pieces
     */
    private static function found(string $text, array $pieces): bool
    {
        $matcher = new BodyMatcher($text);
        array_map($matcher->read(...), $pieces);

        return $matcher->isFound();
    }
}
