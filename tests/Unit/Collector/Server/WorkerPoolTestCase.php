<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\Post;
use Headroom\Collector\Server\UnableToServe;
use Headroom\Collector\Server\WorkerPool;
use Headroom\Tests\Support\TimedClock;
use PHPUnit\Framework\TestCase;

/**
 * A crew without processes: one look a second, of a clock that takes no time.
 */
abstract class WorkerPoolTestCase extends TestCase
{
    private const DRAIN_NANOS = 7_000_000_000;

    protected TimedClock $clock;

    /** @var list<FakeChild> in the order of their starts */
    protected array $children = [];

    /** @var list<int> the seconds at which a start was tried */
    protected array $tries = [];

    /** How many of the next starts fail. */
    protected int $failing = 0;

    protected function setUp(): void
    {
        $this->clock = new TimedClock;
    }

    protected function crew(string ...$names): WorkerPool
    {
        $post = static fn (string $name): Post => new Post($name, [], str_starts_with($name, 'flusher'));
        $posts = array_map($post, array_values($names));

        return new WorkerPool($posts, $this->start(...), static function (): void {}, $this->clock, self::DRAIN_NANOS);
    }

    /** All of them work. */
    protected function ready(string ...$names): WorkerPool
    {
        $crew = $this->crew(...$names);
        $this->look($crew);

        foreach ($this->children as $child) {
            $child->says = ['ready'];
        }

        $this->look($crew);

        return $crew;
    }

    protected function look(WorkerPool $crew, int $times = 1): void
    {
        for (; $times > 0; $times--) {
            $crew->look();
            $this->clock->sleep(1_000_000);
        }
    }

    protected function last(): FakeChild
    {
        return $this->children[array_key_last($this->children) ?? self::fail('None was started.')];
    }

    /** The one that was started last in a place. */
    protected function of(string $post): FakeChild
    {
        $of = array_filter($this->children, static fn (FakeChild $child): bool => $child->post === $post);

        return $of[array_key_last($of) ?? self::fail("None was started as {$post}.")];
    }

    /** @return list<int> seconds */
    protected function starts(string $post): array
    {
        $of = array_filter($this->children, static fn (FakeChild $child): bool => $child->post === $post);

        return array_column($of, 'second');
    }

    private function start(Post $post): FakeChild
    {
        $this->tries[] = $this->clock->second();

        if ($this->failing > 0) {
            $this->failing--;

            throw UnableToServe::notStarted($post->name, 'for the test');
        }

        return $this->children[] = new FakeChild($post->name, $this->clock->second());
    }
}
