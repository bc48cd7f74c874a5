<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\FileStore\Segment\DiskQuota;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Tests\Fault\Support\Event;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;
use RuntimeException;

/**
 * Events that the buffer cannot take. Each writer is a process of its own, and the kernel refuses its writes.
 */
final class RefusedAppendTest extends FaultTestCase
{
    /** So much free disk no machine has: a pebibyte. */
    private const NO_ROOM = 1_125_899_906_842_624;

    /**
     * @param list<string> $direct
     * @param list<string> $thrown
     */
    #[Test, Group('day-2')]
    #[TestDox('disk full')]
    #[TestWith(['direct', ['2', '3'], []])]
    #[TestWith(['throw', [], ['2', '3']])]
    #[TestWith(['drop', [], []])]
    public function a_disk_that_takes_a_part_of_a_frame_counts_as_full(
        string $policy,
        array $direct,
        array $thrown,
    ): void {
        $world = $this->policy($policy);
        // The limit is one for all files of the process, and the slot has to be the largest of them.
        $before = self::ids('before', 300);
        $world->append($before);
        $result = $this->child('append by policy with too little room', ['events', '2', '3'], world: $world)->result();

        self::assertSame(array_fill_keys($thrown, 'file_too_large'), $result['thrown']);
        self::assertSame($direct, $world->rows());
        $world->append(['4']);
        self::assertNull($world->flush()->failure);
        self::assertEqualsCanonicalizing([...$before, '4', ...$direct], $world->rows());

        $status = $world->status();
        $dropped = $policy === 'drop' ? 2 : 0;
        self::assertSame(
            [303 - count($thrown), 303 - count($thrown) - $dropped, 0, 0],
            [$status->events->accepted, $status->events->delivered, $status->events->pending, $status->events->missing],
        );
        self::assertSame([count($direct), $dropped], [$status->backpressure->direct, $status->events->dropped]);
        self::assertSame($dropped === 0 ? [] : ['file_too_large' => 2], $status->backpressure->droppedByReason);
        self::assertSame($thrown === [] ? [] : ['file_too_large' => 2], $status->backpressure->refusedByReason);
        self::assertSame('file_too_large', $status->backpressure->refusing);
    }

    #[Test]
    #[TestWith(['direct'])]
    #[TestWith(['throw'])]
    #[TestWith(['drop'])]
    public function many_in_one_call_share_one_fate(string $policy): void
    {
        $world = $this->policy($policy, reserve: self::NO_ROOM);
        $ids = self::ids('e', 300);
        $result = $this->child('append by policy in one call', ['events', ...$ids], world: $world)->result();

        self::assertSame($policy === 'throw' ? 'reserve' : null, $result['thrown']);
        self::assertSame($policy === 'direct' ? $ids : [], $world->rows());
        $status = $world->status();
        self::assertSame($policy === 'throw' ? 0 : 300, $status->events->accepted);
        self::assertSame($policy === 'throw' ? ['reserve' => 300] : [], $status->backpressure->refusedByReason);
        self::assertSame(0, $status->events->missing);
    }

    #[Test]
    public function a_buffer_without_a_policy_throws_as_it_always_did(): void
    {
        $world = $this->policy('drop', reserve: self::NO_ROOM);

        $this->expectException(UnableToAppend::class);
        $this->expectExceptionMessage((string) self::NO_ROOM);
        $world->append(['1']);
    }

    #[Test]
    public function a_slot_that_has_begun_goes_on_below_the_reserve_and_none_is_begun(): void
    {
        $this->world->append(['1']);
        $world = $this->policy('throw', reserve: self::NO_ROOM);
        self::assertSame([], $this->child('append by policy', ['events', '2'], world: $world)->result()['thrown']);
        $this->flush();
        self::assertSame(
            ['3' => 'reserve'],
            $this->child('append by policy', ['events', '3'], world: $world)->result()['thrown'],
        );

        // The remains of the refused append do not prevent the next one.
        $this->world->append(['4']);
        $this->flush();
        $this->assertDeliveredOnce(['1', '2', '4']);
    }

    #[Test, Group('day-3')]
    #[TestDox('quota reached')]
    public function a_quota_holds_to_a_slot_for_each_writer_and_a_flush_frees_it(): void
    {
        $world = $this->policy('throw', quota: 400_000);
        $writers = array_map(
            fn (int $n) => $this->child('append by policy', ['events', ...self::ids("w{$n}-", 1500)], world: $world),
            [1, 2, 3],
        );
        $refused = [];

        foreach ($writers as $writer) {
            $result = $writer->result()['thrown'];
            self::assertIsArray($result);
            $refused = [
                ...$refused,
                ...array_map(static fn (mixed $failure): string => is_string($failure) ? $failure : '?', $result),
            ];
        }

        self::assertNotSame([], $refused);
        self::assertSame(['quota'], array_values(array_unique($refused)));
        $used = $this->used();
        self::assertGreaterThan(400_000 - 65_536, $used);
        self::assertLessThan(400_000 + 3 * (65_536 + 30_000), $used);

        self::assertNull($world->flush()->failure);
        self::assertSame(0, $this->used());
        self::assertSame([], $this->child('append by policy', ['events', 'after'], world: $world)->result()['thrown']);
        self::assertNull($world->flush()->failure);
        self::assertSame([4500 - count($refused) + 1, 0], [count($world->rows()), $world->status()->events->missing]);
        self::assertSame(['quota' => count($refused)], $world->status()->backpressure->refusedByReason);
    }

    #[Test]
    public function an_event_that_may_be_buffered_is_not_written_elsewhere(): void
    {
        $world = $this->policy('direct');
        $world->append(['1']);

        try {
            $world->runtime()
                ->writerFactory()
                ->refused(
                    'events',
                    UnableToAppend::notTruncated('/slot', 10, 5),
                    (string) json_encode(Event::of('2')),
                    1,
                );
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            self::assertSame(AppendFailure::Uncertain, $e->failure);
        }

        self::assertSame([], $world->rows());
        self::assertSame(['uncertain' => 1], $world->status()->backpressure->refusedByReason);
    }

    #[Test]
    public function when_the_sink_refuses_too_both_reasons_are_thrown(): void
    {
        $world = $this->policy('direct', reserve: self::NO_ROOM);

        try {
            $world->runtime()->buffer()->bucket('broken')->add(['a' => 1]);
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            Sentence::assertIn(self::neither(0, 'broken on purpose*'), $e->getMessage());
            self::assertSame(AppendFailure::Reserve, $e->failure);
        }

        self::assertSame(['reserve' => 1], $world->status('broken')->backpressure->refusedByReason);
    }

    private static function neither(int $arrived, string $said = Sentence::ANY): UnableToAppend
    {
        $refusal = UnableToAppend::reserveReached(Sentence::ANY, Sentence::NUMBER, Sentence::NUMBER, self::NO_ROOM);

        return UnableToAppend::sinkFailedToo($refusal, new RuntimeException($said), $arrived);
    }

    #[Test]
    public function a_sink_of_single_events_gets_them_one_by_one_and_each_is_counted(): void
    {
        $world = $this->policy('direct', reserve: self::NO_ROOM);
        $world->runtime()->buffer()->bucket('each')->addMany(array_map(Event::of(...), ['a', 'b']));
        self::assertSame(['a', 'b'], $world->lines());
        self::assertCount(2, array_unique($world->deliveries()));

        try {
            $world->runtime()->buffer()->bucket('each')->addMany(array_map(Event::of(...), ['c', 'fails 1', 'd']));
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            Sentence::assertIn(self::neither(1), $e->getMessage());
        }

        self::assertSame(
            [3, ['reserve' => 2]],
            [$world->status('each')->backpressure->direct, $world->status('each')->backpressure->refusedByReason],
        );
    }

    #[Test]
    public function events_that_a_sink_takes_of_a_batch_are_counted_apart_from_refused_ones(): void
    {
        $world = $this->policy('direct', reserve: self::NO_ROOM);

        try {
            $world->runtime()->buffer()->bucket('partly')->addMany(array_map(Event::of(...), ['a', 'bad 1', 'b']));
            self::fail('It was taken.');
        } catch (UnableToAppend $e) {
            Sentence::assertIn(self::neither(2), $e->getMessage());
        }

        self::assertSame(['a', 'b'], $world->lines());
        self::assertSame(
            [2, ['reserve' => 1]],
            [$world->status('partly')->backpressure->direct, $world->status('partly')->backpressure->refusedByReason],
        );
    }

    #[Test]
    public function a_bucket_that_is_not_declared_cannot_go_directly(): void
    {
        $world = $this->policy('drop', reserve: self::NO_ROOM);

        $this->expectException(UnableToAppend::class);
        $this->expectExceptionMessage("'not-declared'");
        $world->runtime()->buffer()->bucket('not-declared')->add(['a' => 1]);
    }

    #[Test]
    public function events_that_go_to_a_plain_sink_directly_have_unique_ids(): void
    {
        $world = $this->policy('direct', reserve: self::NO_ROOM);

        foreach ([['1'], ['2', '3'], ['4']] as $ids) {
            $this->child('append by policy in one call', ['lines', ...$ids], world: $world)->result();
        }

        self::assertSame(['1', '2', '3', '4'], $world->lines());
        $lines = explode("\n", trim((string) file_get_contents("{$world->directory}/lines.json")));
        $ids = array_map(
            static fn (string $line): string => (string) json_encode(((array) json_decode($line, true))['_id'] ?? null),
            $lines,
        );
        self::assertCount(4, array_unique($ids));
        self::assertCount(3, array_unique($world->deliveries()));
        self::assertSame(
            [4, 4, 4],
            [
                $world->status('lines')->events->accepted,
                $world->status('lines')->events->delivered,
                $world->status('lines')->backpressure->direct,
            ],
        );
    }

    private function policy(string $policy, int $reserve = 0, ?int $quota = null): World
    {
        return $this->world->withOptions(['overflow' => $policy, 'max_bytes' => $quota], $reserve);
    }

    private function used(): int
    {
        return (new DiskQuota(
            SpoolConfig::fromArray(['path' => "{$this->world->directory}/buffer"]),
            'events',
        ))->used();
    }
}
