<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\LogThrottle;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\SetClock;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Lines of a log that several processes write.
 */
final class LogThrottleTest extends FaultTestCase
{
    private SetClock $clock;

    protected function setUp(): void
    {
        parent::setUp();
        $this->clock = new SetClock(1_000_000_000_000_000);
        mkdir($this->root());
    }

    #[Test]
    public function a_second_line_waits_for_a_minute_and_stands_for_all_since_the_first(): void
    {
        self::assertSame(3, $this->take('dead', 3));
        self::assertSame([0, 0], [$this->take('dead', 4), $this->take('dead', 0)]);
        $this->clock->sleep(59_999_999);
        self::assertSame(0, $this->take('dead', 1));
        $this->clock->sleep(1);
        self::assertSame([5, 0], [$this->take('dead', 0), $this->take('dead', 0)]);
        $this->clock->sleep(60_000_000);
        self::assertSame([0, 2], [$this->take('dead', 0), $this->take('dead', 2)]);
    }

    #[Test]
    public function buckets_and_kinds_have_a_minute_each(): void
    {
        self::assertSame(
            [1, 1, 1],
            [$this->take('dead', 1), $this->take('failed', 1), $this->take('dead', 1, 'other')],
        );
        self::assertSame(
            [0, 0, 0],
            [$this->take('dead', 1), $this->take('failed', 1), $this->take('dead', 1, 'other')],
        );
    }

    #[Test]
    public function a_clock_that_was_set_back_silences_nothing(): void
    {
        $this->take('dead', 1);
        $this->clock->sleep(-3_600_000_000);
        self::assertSame(1, $this->take('dead', 1));
        self::assertSame(0, $this->take('dead', 1));
    }

    /** @return array<string, array{string}> */
    public static function contents(): array
    {
        return [
            'half of it' => ['{"events dead":[1,'],
            'no object' => ['"x"'],
            'other types' => ['{"events dead":["x",{}]}'],
            'bytes' => ["\0\xFF"],
            'more events than an integer holds' => ['{"events dead":[1,9223372036854775807]}'],
            'fewer than none' => ['{"events dead":[1,-9]}'],
        ];
    }

    #[Test]
    #[DataProvider('contents')]
    public function a_file_that_holds_anything_else_begins_again(string $content): void
    {
        file_put_contents("{$this->root()}/logged", $content);
        self::assertSame([2, 0], [$this->take('dead', 2), $this->take('dead', 2)]);
    }

    #[Test]
    public function where_it_cannot_be_remembered_every_line_is_written(): void
    {
        $holder = fopen("{$this->root()}/logged", 'c+');
        self::assertIsResource($holder);
        flock($holder, LOCK_EX);
        self::assertSame([2, 2], [$this->take('dead', 2), $this->take('dead', 2)]);
        fclose($holder);

        unlink("{$this->root()}/logged");
        mkdir("{$this->root()}/logged");
        self::assertSame([1, 1], [$this->take('dead', 1), $this->take('dead', 1)]);

        rmdir("{$this->root()}/logged");
        rmdir($this->root());
        self::assertSame([1, 1], [$this->take('dead', 1), $this->take('dead', 1)]);
    }

    #[Test]
    public function a_lock_that_is_held_for_a_moment_is_waited_for(): void
    {
        $this->take('dead', 1);
        $holder = fopen("{$this->root()}/logged", 'c+');
        self::assertIsResource($holder);
        flock($holder, LOCK_EX);
        $clock = new Meanwhile(static fn () => flock($holder, LOCK_UN));
        $throttle = new LogThrottle($this->root(), new Permissions, $clock);

        self::assertSame([1, 0], [$throttle->take('events', 'other', 1), $throttle->take('events', 'other', 1)]);
    }

    #[Test]
    public function a_file_of_another_user_hides_no_line_of_this_one(): void
    {
        $throttle = fn (int $owner): LogThrottle
            => new LogThrottle($this->root(), new Permissions, $this->clock, owner: $owner);
        $me = Permissions::currentUser();

        self::assertSame(
            [2, 0],
            [$throttle($me)->take('events', 'dead', 2), $throttle($me)->take('events', 'dead', 2)],
        );
        self::assertSame(
            [2, 2],
            [$throttle($me + 1)->take('events', 'dead', 2), $throttle($me + 1)->take('events', 'dead', 2)],
        );
    }

    private function take(string $kind, int $count, string $bucket = 'events'): int
    {
        return (new LogThrottle($this->root(), new Permissions, $this->clock))->take($bucket, $kind, $count);
    }

    private function root(): string
    {
        return "{$this->world->directory}/buffer";
    }
}
