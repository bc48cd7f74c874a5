<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad;

use Headroom\Doctor\UnderLoad\Causes\CauseList;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\LoadTraffic;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\CpuSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\KernelSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\PoolSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\RedisSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Doctor\UnderLoad\Waits\Sockets\Peer;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * Ten seconds of a pool of 40 processes, with 100 requests per second, all of them busy and 60 more waiting, on CPUs
 * that are 80 % idle, but for what a test says.
 */
final class Recordings
{
    public const SECONDS = 10;

    public const REDIS = '10.0.0.5:6379';

    public const DATABASE = '10.0.0.7:3306';

    /** @var array<int, list<Wait>> */
    private array $waits = [];

    private ?float $idle = 0.8;

    private ?int $queue = 60;

    private ?int $limit = 511;

    private bool $mayKeepConnections = true;

    private bool $isOtherThere = false;

    private bool $isPoolKnown = true;

    /** @var ?array{int, int, int, int} each second: connections, commands, microseconds in them; and who is blocked */
    private ?array $redis = null;

    /** @var ?array{int, int, int, int} each second: connections, statements; at a time: running, waiting for a lock */
    private ?array $database = null;

    /** @var array{int, ?int, int} each second: overflows, periods, throttled */
    private array $kernel = [0, null, 0];

    private ?LoadTraffic $traffic;

    private function __construct()
    {
        $this->traffic = self::slow();
    }

    public static function slow(): LoadTraffic
    {
        return new LoadTraffic(1_000, 0, 0, [200 => 1_000], 900.0, 850.0, 1_500.0, 100.0);
    }

    public static function quick(): LoadTraffic
    {
        return new LoadTraffic(20_000, 0, 0, [200 => 20_000], 12.0, 10.0, 30.0, 2_000.0);
    }

    public static function busy(): self
    {
        return new self;
    }

    /** So many processes that do this. */
    public function doing(int $processes, WaitKind $kind, string $address = '', string $service = ''): self
    {
        $self = clone $this;

        for ($i = 0; $i < $processes; $i++) {
            $self->waits[] = [new Wait(
                $kind,
                $address === '' ? null : new Peer($address, $service === '' ? null : $service),
                null,
                1_000 + count($self->waits),
            )];
        }

        return $self;
    }

    public function forRedis(int $processes, WaitKind $kind = WaitKind::Reply): self
    {
        return $this->doing($processes, $kind, self::REDIS, 'Redis');
    }

    public function forTheDatabase(int $processes, WaitKind $kind = WaitKind::Reply): self
    {
        return $this->doing($processes, $kind, self::DATABASE, 'MariaDB');
    }

    public function idle(?float $share): self
    {
        $self = clone $this;
        $self->idle = $share;

        return $self;
    }

    public function queue(?int $waiting, ?int $limit = 511): self
    {
        $self = clone $this;
        $self->queue = $waiting;
        $self->limit = $limit;

        return $self;
    }

    public function redis(int $connections, int $commands, int $micros = 0, int $blocked = 0): self
    {
        $self = clone $this;
        $self->redis = [$connections, $commands, $micros, $blocked];

        return $self;
    }

    public function database(int $connections, int $statements, int $running, int $locked = 0): self
    {
        $self = clone $this;
        $self->database = [$connections, $statements, $running, $locked];

        return $self;
    }

    public function kernel(int $overflows, ?int $periods = null, int $throttled = 0): self
    {
        $self = clone $this;
        $self->kernel = [$overflows, $periods, $throttled];

        return $self;
    }

    public function traffic(?LoadTraffic $traffic): self
    {
        $self = clone $this;
        $self->traffic = $traffic;

        return $self;
    }

    /** nginx does not keep connections to PHP-FPM. */
    public function keepsNone(): self
    {
        $self = clone $this;
        $self->mayKeepConnections = false;

        return $self;
    }

    /** Another Redis, without waits. */
    public function besideAnotherRedis(): self
    {
        $self = clone $this;
        $self->isOtherThere = true;

        return $self;
    }

    /** The processes may not be looked at. */
    public function unseen(): self
    {
        $self = clone $this;
        $self->isPoolKnown = false;

        return $self;
    }

    public function recording(): Recording
    {
        $samples = [];

        for ($look = 0; $look <= 4 * self::SECONDS; $look++) {
            $second = $look / 4;
            $samples[] = new Snapshot(
                5_000_000_000 + $look * 250_000_000,
                $this->isPoolKnown ? new PoolSnapshot($this->queue, $this->limit) : null,
                $this->isPoolKnown ? array_merge(...array_values($this->waits)) : null,
                $this->idle === null
                    ? null
                    : new CpuSnapshot($look * 100, (int) ($look * 100 * $this->idle), [
                        'php-fpm' => (int) ($look * 100 * (1 - $this->idle) * 0.9),
                        'nginx' => $look,
                    ]),
                $this->redis === null ? [] : [
                    ...($this->isOtherThere ? [new RedisSnapshot('queue:6379', '10.0.0.6:6379', 0, 0, 0, 0.0, 1)] : []),
                    new RedisSnapshot(
                        'redis:6379',
                        self::REDIS,
                        (int) ($second * $this->redis[0]),
                        (int) ($second * $this->redis[1]),
                        (int) ($second * $this->redis[2]),
                        $second * 0.1,
                        80,
                        $this->redis[3],
                    ),
                ],
                $this->database === null
                    ? null
                    : new DatabaseSnapshot(
                        (int) ($second * $this->database[0]),
                        (int) ($second * $this->database[1]),
                        $this->database[2],
                        40,
                        $this->database[3],
                    ),
                new KernelSnapshot(
                    (int) ($second * $this->kernel[0]),
                    $this->kernel[1] === null ? null : (int) ($second * $this->kernel[1]),
                    (int) ($second * $this->kernel[2]),
                ),
            );
        }

        return new Recording(
            [],
            $samples,
            $this->traffic,
            40,
            [],
            'MariaDB '.self::DATABASE,
            $this->mayKeepConnections,
        );
    }

    public function diagnosis(): LoadDiagnosis
    {
        return LoadDiagnosis::of($this->recording(), CauseList::all(), 20.0);
    }
}
