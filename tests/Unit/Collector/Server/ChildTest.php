<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\Child;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ChildTest extends TestCase
{
    /** @param list<string> $words */
    #[Test]
    #[TestWith(['echo ready >&4; echo "beat {}" >&4; exit 3', ['ready', 'beat {}'], 3])]
    #[TestWith(['echo ready >&4', ['ready'], 0])]
    #[TestWith(['echo ready >&4; sleep 5 & kill -9 $$', ['ready'], 9])]
    #[TestWith(['exit 1', [], 1])]
    public function its_last_words_are_heard_after_its_end_was_seen(string $script, array $words, int $code): void
    {
        $child = Child::start('worker 1', ['sh', '-c', $script], '/', []);
        $end = self::endOf($child);

        self::assertSame([$words, []], [$child->hear(), $child->hear()]);
        $code === 0
            ? self::assertSame(Child::DONE, $end)
            : self::assertMatchesRegularExpression("/\\b{$code}\\b/", $end);
        self::assertNull($child->line());
        $child->tell('drain');
        $child->signal(15);
    }

    #[Test]
    public function a_line_is_heard_once_it_is_whole(): void
    {
        $child = Child::start('worker 1', ['sh', '-c', 'printf "rea" >&4; read go <&4; printf "dy\\nbe" >&4'], '/', []);
        self::assertSame([], $child->hear());
        $child->tell('go');

        self::endOf($child);

        self::assertSame([['ready'], []], [$child->hear(), $child->hear()]);
    }

    #[Test]
    public function an_exit_code_is_not_told_as_a_signal_of_the_same_number(): void
    {
        [$exit, $signal] = array_map(
            static fn (string $script): string => self::endOf(Child::start('worker 1', ['sh', '-c', $script], '/', [])),
            ['exit 9', 'kill -9 $$'],
        );

        self::assertNotSame($exit, $signal);
    }

    private static function endOf(Child $child): string
    {
        for ($tries = 0; $tries < 5_000 && $child->end() === null; $tries++) {
            usleep(1_000);
        }

        return (string) $child->end();
    }
}
