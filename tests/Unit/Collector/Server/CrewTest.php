<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\Child;
use Headroom\Collector\Server\Crew;
use Headroom\Collector\Server\Post;
use Headroom\Core\SystemClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class CrewTest extends TestCase
{
    /** Who sends such a request to each new worker, before the supervisor has looked, would have the worker given up. */
    #[Test]
    public function a_worker_that_was_ready_and_ended_between_two_looks_has_worked(): void
    {
        [$post, $said] = $this->afterOneStart('echo ready >&4');

        self::assertCount(1, $said);
        self::assertMatchesRegularExpression('/\Aworker 1 '.Child::DONE.'\W[^0-9]*\z/', $said[0]);
        self::assertSame(1, $post->failures);
    }

    #[Test]
    public function one_that_said_nothing_was_not_ready(): void
    {
        [$silent, $ready] = [$this->afterOneStart('exit 3')[1], $this->afterOneStart('echo ready >&4; exit 3')[1]];

        self::assertCount(1, $silent);
        self::assertMatchesRegularExpression('/\Aworker 1 [^0-9]*3[^0-9]*\z/', $silent[0]);
        self::assertNotSame($ready, $silent);
    }

    /** @return array{Post, list<string>} and what was said of it */
    private function afterOneStart(string $script): array
    {
        $post = new Post('worker 1', ['sh', '-c', $script]);
        $said = $children = [];
        $start = static function (Post $post) use (&$children): Child {
            // The next one waits to be killed.
            return $children[] = Child::start($post->name, $children === [] ? $post->command : ['sleep', '60'], '/', []);
        };
        $say = static function (string $line) use (&$said): void {
            $said[] = $line;
        };
        $crew = new Crew([$post], $start, $say, new SystemClock, 1_000_000_000);
        $crew->look();

        for ($tries = 0, $stat = "/proc/{$children[0]->pid}/stat"; $tries < 5_000 && preg_match('/\) [^ZX] /', (string) @file_get_contents($stat)) === 1; $tries++) {
            usleep(1_000);
        }

        $crew->look();
        $crew->kill();

        return [$post, $said];
    }
}
