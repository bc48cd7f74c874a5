<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Tests\Fault\Support\RedisSide;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Fault\Support\Spawner;
use Headroom\Tests\Fault\Support\Torture;
use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Random\Randomizer;

/**
 * Writers, owners and Redis itself are killed at any moment. The oracle is a file per writer that gets each id once its
 * append has returned.
 */
final class RedisKillTest extends RedisTestCase
{
    private const WRITERS = 4;

    private const FLUSHERS = 2;

    private const SECONDS = 5;

    private Torture $torture;

    private Spawner $spawner;

    /** @var array<string, array<int, int>> pids by role and number */
    private array $running = ['writer' => [], 'flusher' => []];

    private int $started = 0;

    /** @var array<string, int> */
    private array $kills = ['writer' => 0, 'flusher' => 0, 'redis' => 0];

    protected function setUp(): void
    {
        $this->torture = Torture::fromEnvironment();
        parent::setUp();
    }

    protected function tearDown(): void
    {
        if (isset($this->spawner)) {
            $this->spawner->stop();
        }

        parent::tearDown();
    }

    /** @return array<string, array{string, ?string}> client, and appendfsync where Redis is killed, too */
    public static function servers(): array
    {
        return [
            'phpredis' => ['phpredis', null],
            'predis' => ['predis', null],
            'Redis is killed, always' => ['phpredis', 'always'],
            'Redis is killed, everysec' => ['phpredis', 'everysec'],
        ];
    }

    /** @return array<string, array{string, ?string}> */
    public static function sampledServers(): array
    {
        return Sample::of(self::servers(), 1);
    }

    #[Test]
    #[DataProvider('sampledServers')]
    public function acknowledged_events_arrive_once_at_random_kills(string $client, ?string $fsync): void
    {
        ini_set('memory_limit', '2G');
        $this->useDatabase($this->torture->database);

        if ($fsync !== null) {
            $this->redis->restart(['appendonly' => 'yes', 'appendfsync' => $fsync]);
        }

        $this->world = $this->world->withBatch(200)
            ->withRedis(new RedisSide([$this->redis->port], $client, takeover: 1));
        $this->spawner = Spawner::start();
        // Known for some minutes, as it is in an application that has run for these.
        $this->world->append(['the first']);
        $this->redis->ask('HINCRBY', (new Keys('events'))->meta, 'tokens_since', -600_000);
        $this->killFor(Torture::seconds(self::SECONDS), $this->torture->randomizer(), $fsync !== null);
        $this->redis->ask('DEL', (new Keys('events'))->owner);
        $this->world = $this->world->withRedis(new RedisSide([$this->redis->port], $client));
        $this->world->append(['a fresh one']);
        $this->flush();

        $rows = $this->world->rows();
        $acknowledged = $this->acknowledged();
        $lost = array_diff($acknowledged, $rows);
        $status = $this->world->status();
        $this->torture->count([
            'acknowledged' => count($acknowledged),
            'writer_kills' => $this->kills['writer'],
            'flusher_kills' => $this->kills['flusher'],
            'lost' => count($lost),
            'double' => count($rows) - count(array_flip($rows)),
        ]);
        $this->torture->say(sprintf(
            'redis, %s: %d acknowledged, %d delivered, kills %s',
            $this->dataName(),
            count($acknowledged),
            count($rows),
            json_encode($this->kills),
        ));

        self::assertSame([], array_slice($lost, 0, 5), "Seed {$this->torture->seed}: something acknowledged was lost.");
        self::assertCount(count($rows), array_flip($rows), "Seed {$this->torture->seed}: something arrived twice.");
        self::assertSame(
            [count($rows), count($rows), 0, 0, 0],
            [
                $status->events->accepted,
                $status->events->delivered,
                $status->events->dead,
                $status->events->pending,
                $status->events->missing,
            ],
            (string) $status->error,
        );
    }

    private function killFor(int $seconds, Randomizer $random, bool $alsoRedis): void
    {
        $clock = new SystemClock;
        $end = $clock->monotonicNanos() + $seconds * 1_000_000_000;
        array_map(fn (int $n) => $this->startOne('writer', $n), range(0, self::WRITERS - 1));
        array_map(fn (int $n) => $this->startOne('flusher', $n), range(0, self::FLUSHERS - 1));

        for ($round = 1; $clock->monotonicNanos() < $end; $round++) {
            $clock->sleep($random->getInt(5_000, 100_000));

            if ($alsoRedis && $round % 25 === 0) {
                // With everysec Redis answers before it writes where its disk is slow. Without it nothing is put off,
                // and at the second question all that was is written.
                $this->redis->ask('CONFIG', 'SET', 'appendfsync', 'no');
                $this->redis->ask('PING');
                $this->redis->restart();
                $this->kills['redis']++;
            }

            $role = $random->getInt(1, 4) === 1 ? 'flusher' : 'writer';
            $n = $random->getInt(0, count($this->running[$role]) - 1);
            $ending = $this->spawner->kill($this->running[$role][$n]);
            self::assertTrue($ending->wasKilled(), "A {$role} ended by itself. {$ending->inWords()}");
            $this->kills[$role]++;
            $this->startOne($role, $n);
        }

        foreach ([...$this->running['writer'], ...$this->running['flusher']] as $pid) {
            $this->spawner->kill($pid);
        }
    }

    private function startOne(string $role, int $n): void
    {
        $this->started++;
        $this->running[$role][$n] = $role === 'writer'
            ? $this->spawner->fork($this->world, 'write', "w{$this->started}")
            : $this->spawner->fork($this->world, 'flush');
    }

    /** @return list<string> an id whose line was cut by a kill was not acknowledged to anybody */
    private function acknowledged(): array
    {
        $ids = ['the first', 'a fresh one'];

        foreach ($this->names($this->world->directory) as $name) {
            if (str_ends_with($name, '.ack')) {
                $lines = explode("\n", (string) file_get_contents("{$this->world->directory}/{$name}"));
                array_pop($lines);
                array_push($ids, ...$lines);
            }
        }

        return $ids;
    }
}
