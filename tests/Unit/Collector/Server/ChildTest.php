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
    #[TestWith(['echo ready >&4; echo "beat {}" >&4; exit 3', ['ready', 'beat {}'], 'ended with exit code 3'])]
    #[TestWith(['echo ready >&4', ['ready'], 'ended'])]
    #[TestWith(['echo ready >&4; sleep 5 & kill -9 $$', ['ready'], 'was ended by signal 9'])]
    #[TestWith(['exit 1', [], 'ended with exit code 1'])]
    public function its_last_words_are_heard_after_its_end_was_seen(string $script, array $words, string $end): void
    {
        $child = Child::start('worker 1', ['sh', '-c', $script], '/', []);

        for ($tries = 0; $tries < 5_000 && $child->end() === null; $tries++) {
            usleep(1_000);
        }

        self::assertSame([$end, $words, []], [$child->end(), $child->hear(), $child->hear()]);
        self::assertNull($child->line());
        $child->tell('drain');
        $child->signal(15);
    }

    #[Test]
    public function what_is_half_said_is_heard_when_it_is_whole(): void
    {
        $child = Child::start('worker 1', ['sh', '-c', 'printf "rea" >&4; read go <&4; printf "dy\\nbe" >&4'], '/', []);
        self::assertSame([], $child->hear());
        $child->tell('go');

        for ($tries = 0; $tries < 5_000 && $child->end() === null; $tries++) {
            usleep(1_000);
        }

        self::assertSame([['ready'], []], [$child->hear(), $child->hear()]);
    }
}
