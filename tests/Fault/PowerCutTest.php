<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Tests\Fault\PowerCut\Call;
use Headroom\Tests\Fault\PowerCut\Disk;
use Headroom\Tests\Fault\PowerCut\Luck;
use Headroom\Tests\Fault\PowerCut\Trace;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\RemovedDirectory;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * The power fails after each system call that changed a file or put it on disk. The test recreates the content of the
 * disk in another directory and flushes it there: once with the synced data alone, once with all names and no content
 * of the rest, and once with random parts of the rest.
 */
final class PowerCutTest extends FaultTestCase
{
    private const SEED = 20_261_121;

    private const APPENDS = ['add a1', 'add a2', 'many a3 a4 a5', 'keep', 'add a6', 'add a7', 'add a8', 'release'];

    /** @var array<string, true> */
    private array $acknowledged = [];

    private int $cuts = 0;

    private int $worst = 0;

    /** Hundreds of disks are laid out, and what is looked at is a model, so that a real one would only cost time. */
    protected function setUp(): void
    {
        parent::setUp();

        if (is_writable('/dev/shm')) {
            $this->world->destroy();
            $this->world = World::create(in: '/dev/shm');
        }
    }

    #[Test]
    #[TestDox('power cut')]
    public function with_power_a_table_gets_each_acknowledged_event_once_whenever_the_power_goes(): void
    {
        $trace = Trace::of($this->world->withDurability('power'), [
            ...self::APPENDS, 'flush events', 'add b1', 'add b2', 'flush events', 'add c1', 'flush events',
            'clean events', 'add d1',
        ]);

        $this->cutEverywhere($trace, 'events', 'power');
        self::assertSame(
            0,
            $this->worst,
            "Acknowledged events were lost, at worst {$this->worst} of ".count($this->acknowledged).'.',
        );
        self::assertGreaterThan(Sample::number(33, 100), $this->cuts);
        self::assertCount(12, $this->acknowledged);
    }

    #[Test]
    public function with_power_several_slots_sealed_in_one_round_keep_their_accounts(): void
    {
        $world = $this->world->withDurability('power')->withSegmentBytes(65_536);
        $trace = Trace::of($world, [
            ...array_map(static fn (int $n): string => 'many '.implode(' ', self::ids("{$n}-", 120)), range(1, 3)),
            'flush events',
        ]);

        $this->cutEverywhere($trace, 'events', 'power');
        self::assertSame(0, $this->worst);
        self::assertCount(360, $this->acknowledged);
    }

    #[Test]
    public function with_power_a_file_gets_each_acknowledged_event_whenever_the_power_goes(): void
    {
        $trace = Trace::of($this->world->withDurability('power'), [
            'into lines', ...self::APPENDS, 'flush lines', 'add b1', 'flush lines', 'add c1', 'flush lines',
            'clean lines', 'add d1',
        ]);

        $this->cutEverywhere($trace, 'lines', 'power');
        self::assertSame(0, $this->worst);
        self::assertCount(11, $this->acknowledged);
    }

    #[Test]
    public function with_power_files_that_are_set_aside_and_compressed_keep_each_acknowledged_event(): void
    {
        $trace = Trace::of($this->world->withDurability('power'), [
            'into rotating', 'many a1 a2 a3', 'flush rotating', 'many b1 b2 b3', 'flush rotating', 'many c1 c2 c3',
            'flush rotating', 'clean rotating', 'add d1', 'flush rotating',
        ]);

        $this->cutEverywhere($trace, 'rotating', 'power');
        self::assertSame(0, $this->worst);
        self::assertCount(10, $this->acknowledged);
    }

    #[Test]
    #[TestDox('power cut')]
    #[TestWith(['process'])]
    #[TestWith(['interval'])]
    public function without_power_the_same_cuts_lose_acknowledged_events(string $durability): void
    {
        $this->cutEverywhere(
            Trace::of($this->world->withDurability($durability), self::APPENDS),
            'events',
            $durability,
        );

        self::assertSame(8, $this->worst);
    }

    #[Test]
    #[TestDox('power cut')]
    public function with_interval_events_before_the_last_round_of_the_worker_survive(): void
    {
        $trace = Trace::of(
            $this->world->withDurability('interval'),
            [...self::APPENDS, 'sync', 'add late1', 'sync', 'add late2', 'flush events', 'add late3', 'sync'],
        );
        $onDisk = [];
        $accepted = [];

        $trace->replay(function (Disk $disk, Call $call, ?string $word) use (&$onDisk, &$accepted): void {
            $accepted = [...$accepted, ...self::acknowledgedBy($call)];
            $onDisk = in_array($call->said(), ['end sync', 'end flush events'], true) ? $accepted : $onDisk;

            if ($word !== null) {
                self::assertSame(
                    [],
                    array_diff($onDisk, $this->arrivedAfter($disk, 'events', 'interval', Luck::none(), $word)),
                    "The power went after: {$word}",
                );
            }
        });

        self::assertCount(11, $onDisk);
    }

    private function cutEverywhere(Trace $trace, string $bucket, string $durability): void
    {
        $trace->replay(function (Disk $disk, Call $call, ?string $word) use ($bucket, $durability): void {
            foreach (self::acknowledgedBy($call) as $id) {
                $this->acknowledged[$id] = true;
            }

            // Inside a transaction the database is on its own. An acknowledgement changes no file,
            // but is the moment that counts.
            $isOfInterest = $word !== null && ! str_starts_with($word, 'write database');

            foreach (! $isOfInterest && self::acknowledgedBy($call) === [] ? [] : $this->lucks($durability) as $luck) {
                $arrived = $this->arrivedAfter($disk, $bucket, $durability, $luck, (string) $word);
                $this->worst = max($this->worst, count(array_diff_key($this->acknowledged, array_flip($arrived))));
                $this->cuts++;
            }
        });

        self::assertSame([], $trace->failures);
    }

    /** @return list<Luck> of a cut; `make test` takes one of the three in turn where nothing may be lost */
    private function lucks(string $durability): array
    {
        $all = [Luck::none(), Luck::names(), Luck::any(self::SEED + $this->cuts)];

        return Sample::isWhole() || $durability !== 'power' ? $all : [$all[($this->cuts + Sample::seed()) % 3]];
    }

    /** @return list<string> ids that had arrived when everything that survived was flushed */
    private function arrivedAfter(Disk $disk, string $bucket, string $durability, Luck $luck, string $word): array
    {
        $directory = $this->world->directory;
        // Where it lay before: the state names the sink's path.
        RemovedDirectory::remove($directory);
        $disk->cutTo($directory, $luck);
        // By a world that does not sync: that has been looked at already, and it takes its time.
        $after = World::fromJson($this->world->toJson());

        try {
            $report = $after->store()->isUntouched() ? null : $after->flush($bucket);

            // Where nothing was promised, the state and the node id may be gone as well.
            if ($report !== null && $durability === 'power') {
                self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
                self::assertSame(
                    0,
                    $after->status($bucket)->events->missing,
                    "Events are missing. The power went after: {$word}",
                );
            }

            $ids = $bucket === 'events'
                ? $after->rows()
                : $this->lines([
                    ...(array) glob("{$directory}/lines-*.json"),
                    ...(array) glob("{$directory}/lines-*.json.gz"),
                    "{$directory}/lines.json",
                ]);
            self::assertTrue($bucket !== 'events' || $ids === array_unique($ids), 'Something arrived twice.');

            return $ids;
        } finally {
            $after->database()->disconnect();
        }
    }

    /** @return list<string> */
    private static function acknowledgedBy(Call $call): array
    {
        return preg_match('/^end (?:add|many) (.*)$/', (string) $call->said(), $m) === 1 ? explode(' ', $m[1]) : [];
    }

    /**
     * @param list<mixed> $paths
     * @return list<string> a power cut may leave half a line
     */
    private function lines(array $paths): array
    {
        $content = '';

        foreach (array_filter($paths, is_string(...)) as $path) {
            $text = is_file($path) ? (string) file_get_contents($path) : '';
            $content .= (str_ends_with($path, '.gz') ? gzdecode($text) : $text)."\n";
        }

        $lines = array_map(static fn (string $line): mixed => json_decode($line, true), explode("\n", $content));

        return array_values(array_filter(array_column(array_filter($lines, is_array(...)), 'id'), is_string(...)));
    }
}
