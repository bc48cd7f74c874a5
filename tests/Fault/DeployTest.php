<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Finding;
use Headroom\Core\Position;
use Headroom\Spool\Health\BufferIsInRelease;
use Headroom\Spool\Store\MissingRange;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * Deploy (symlink switch) while writing: the buffer's path goes through a symlink that leads to another release from
 * one moment to the next.
 */
final class DeployTest extends FaultTestCase
{
    #[Test]
    #[TestDox('deploy (symlink switch) while writing')]
    public function with_a_shared_directory_events_before_during_and_after_a_deploy_arrive(): void
    {
        mkdir("{$this->world->directory}/shared/buffer", 0700, true);
        $this->release(1, fn (string $buffer): bool => symlink("{$this->world->directory}/shared/buffer", $buffer));
        $this->release(2, fn (string $buffer): bool => symlink("{$this->world->directory}/shared/buffer", $buffer));
        $this->writeWhileSwitching();

        self::assertSame([], $this->problems());
        $this->flush();
        $this->assertArrivedOnce();
        self::assertSame(1, $this->world->database()->table('spool_ledger')->count());
    }

    #[Test]
    #[TestDox('deploy (symlink switch) while writing')]
    public function inside_the_release_the_old_one_s_rest_is_named_and_can_be_adopted(): void
    {
        $this->release(1, fn (string $buffer): bool => mkdir($buffer, 0700));
        $this->release(2, fn (string $buffer): bool => mkdir($buffer, 0700));
        $this->writeWhileSwitching();
        $old = "{$this->world->directory}/releases/1/buffer";
        $this->world->append(['after'], buffer: $this->world->buffer());
        $this->switchTo(1);
        $this->world->append(['too late'], buffer: $this->world->buffer());
        $this->switchTo(2);

        $problems = $this->problems();
        self::assertCount(2, $problems);
        self::assertStringContainsString("'releases'", $problems[0]);
        self::assertStringContainsString("`spool:adopt {$old}`", $problems[1]);

        $this->flush();
        self::assertNotContains('too late', $this->world->rows());
        self::assertSame(0, $this->child('adopt', [$old])->result()['exit']);
        $this->assertArrivedOnce(['after', 'too late']);
        self::assertCount(1, $this->problems(), 'Nothing waits in the old one any more.');
    }

    #[Test]
    public function a_flush_under_way_stays_with_the_buffer_it_has_begun(): void
    {
        $this->release(1, fn (string $buffer): bool => mkdir($buffer, 0700));
        $this->release(2, fn (string $buffer): bool => mkdir($buffer, 0700));
        $this->switchTo(2);
        $this->twoSlots('new');
        $this->switchTo(1);
        $this->twoSlots('old');

        $flush = $this->child('flush', points: ['rows.inserted' => Act::Wait], world: $this->world->withBatch(1));
        $flush->awaitPoint('rows.inserted');
        $this->switchTo(2);
        $flush->goOn();
        $flush->result();
        $this->flush();
        self::assertSame(0, $this->child('adopt', ["{$this->world->directory}/releases/1/buffer"])->result()['exit']);

        $rows = $this->world->rows();
        sort($rows);
        self::assertSame(
            ['new a.1', 'new a.2', 'new b.1', 'new b.2', 'old a.1', 'old a.2', 'old b.1', 'old b.2'],
            $rows,
        );
    }

    #[Test]
    public function segments_of_the_same_names_in_the_new_release_are_not_read_instead(): void
    {
        $this->release(1, fn (string $buffer): bool => mkdir($buffer, 0700));
        $this->release(2, fn (string $buffer): bool => mkdir($buffer, 0700));
        $this->switchTo(2);
        $this->twoSlots('new');
        $this->world->seal();
        $this->switchTo(1);
        $this->twoSlots('old');
        $lease = $this->world->store()->claim('events');
        self::assertNotNull($lease);
        $payloads = [];

        $lease->seal();

        foreach ($lease->read(Position::start()) as $item) {
            $this->switchTo(2);

            foreach ($item instanceof MissingRange ? [] : $item as $entry) {
                $payloads[] = substr($entry->payload, 7, 5);
            }
        }

        $lease->close(Position::start());
        self::assertSame(['old a', 'old a', 'old b', 'old b'], $payloads);
    }

    #[Test]
    public function a_release_is_also_known_by_the_symlink_next_to_it(): void
    {
        mkdir("{$this->world->directory}/v7/storage/buffer", 0700, true);
        $root = "{$this->world->directory}/v7/storage/buffer";
        self::assertSame([], $this->problems($root));

        symlink("{$this->world->directory}/v7", "{$this->world->directory}/current");
        self::assertStringContainsString("{$this->world->directory}/current", implode(' ', $this->problems($root)));
        self::assertCount(1, $this->problems("{$this->world->directory}/current/storage/not/yet"));
        self::assertSame([], $this->problems("{$this->world->directory}/shared/buffer"));
    }

    private function twoSlots(string $name): void
    {
        $this->whileHolding("{$name} a", fn () => $this->whileHolding("{$name} b", static function (): void {}));
    }

    /** @param callable(string): bool $make the buffer's directory */
    private function release(int $number, callable $make): void
    {
        mkdir("{$this->world->directory}/releases/{$number}", 0700, true);
        $make("{$this->world->directory}/releases/{$number}/buffer");

        if ($number === 1) {
            $this->switchTo(1);
            symlink("{$this->world->directory}/current/buffer", "{$this->world->directory}/buffer");
        }
    }

    private function switchTo(int $release): void
    {
        symlink("{$this->world->directory}/releases/{$release}", "{$this->world->directory}/next");
        rename("{$this->world->directory}/next", "{$this->world->directory}/current");
        clearstatcache(true);
    }

    private function writeWhileSwitching(): void
    {
        $children = [
            $this->child('write until killed', ['first']),
            $this->child('write until killed', ['second']),
            $this->child('flush until killed'),
        ];

        foreach ([2, 1, 2] as $release) {
            $this->awaitMore($children);
            $this->switchTo($release);
        }

        $this->awaitMore($children);
        array_map(static fn (Child $child) => $child->kill(), $children);
    }

    /** @param list<Child> $children */
    private function awaitMore(array $children): void
    {
        $goal = array_map(static fn (array $ids): int => count($ids) + 150, $this->acknowledged());

        while (
            array_filter(array_keys($goal), fn (int $n): bool => count($this->acknowledged()[$n]) < $goal[$n])
            !== []
        ) {
            foreach ($children as $child) {
                self::assertTrue($child->isRunning(), 'A writer or flusher ended.');
            }
        }
    }

    /** @return list<list<string>> */
    private function acknowledged(): array
    {
        return array_map(function (string $name): array {
            $lines = explode("\n", (string) @file_get_contents("{$this->world->directory}/{$name}.ack"));
            array_pop($lines);

            return $lines;
        }, ['first', 'second']);
    }

    /** @param list<string> $more */
    private function assertArrivedOnce(array $more = []): void
    {
        $rows = $this->world->rows();
        self::assertSame(array_values(array_unique($rows)), $rows, 'Some arrived twice.');
        self::assertSame(
            [],
            array_values(array_diff([...array_merge(...$this->acknowledged()), ...$more], $rows)),
            'Some were lost.',
        );
    }

    /**
     * @return list<string>
     *
     * @phpstan-impure
     */
    private function problems(?string $root = null): array
    {
        return array_map(
            static fn (Finding $problem): string => "{$problem->message} {$problem->fix}",
            (new BufferIsInRelease($root ?? "{$this->world->directory}/buffer"))->findings(),
        );
    }
}
