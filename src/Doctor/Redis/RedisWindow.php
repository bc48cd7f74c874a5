<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\NotApplicable;

/**
 * The activity of each server of the application during the observation.
 *
 * @internal
 */
final readonly class RedisWindow
{
    private const MICROS = 1_000_000;

    private const PINGS = 20;

    private const PINGING_NANOS = 500_000_000;

    /** @param array<string, RedisActivity|FactUnavailable> $activities by place */
    public function __construct(private array $activities) {}

    /**
     * @param list<RedisAddress> $addresses
     *
     * @throws NotApplicable
     */
    public static function measure(array $addresses, Clock $clock = new SystemClock): self
    {
        $before = [];

        foreach ($addresses as $address) {
            $before[$address->place] = self::sample($address, $clock);
        }

        $before === [] ? throw NotApplicable::of('nothing here uses Redis') : $clock->sleep(self::MICROS);
        $activities = [];

        foreach ($addresses as $address) {
            $first = $before[$address->place];
            $activities[$address->place] = $first instanceof FactUnavailable
                ? $first
                : self::between($first, self::sample($address, $clock));
        }

        return new self($activities);
    }

    /** @throws FactUnavailable */
    public function of(RedisServer $server): RedisActivity
    {
        $activity = $this->activities[$server->place]
            ?? throw FactUnavailable::because("{$server->place} was not observed.", $server->cli('info cpu'));

        return $activity instanceof RedisActivity
            ? $activity
            : throw FactUnavailable::because($activity->getMessage(), $server->cli('info cpu'));
    }

    /**
     * @param array{int, ?float, float} $first from sample()
     * @param array{int, ?float, float}|FactUnavailable $then likewise
     */
    private static function between(array $first, array|FactUnavailable $then): RedisActivity|FactUnavailable
    {
        return $then instanceof FactUnavailable ? $then : new RedisActivity(
            ($then[0] - $first[0]) / 1e9,
            $first[1] === null || $then[1] === null ? null : max(0.0, $then[1] - $first[1]),
            min($first[2], $then[2]) / 1e9,
        );
    }

    /**
     * @return array{int, ?float, float}|FactUnavailable when, CPU seconds of its main thread,
     *     and nanoseconds of the median PING
     */
    private static function sample(RedisAddress $address, Clock $clock): array|FactUnavailable
    {
        try {
            $wire = $address->wire();

            try {
                $info = $wire->ask('INFO', 'cpu');
                $at = $clock->monotonicNanos();
                $trips = [];

                // A slow server gets fewer PINGs.
                while (count($trips) < self::PINGS && $clock->monotonicNanos() - $at < self::PINGING_NANOS) {
                    $asked = $clock->monotonicNanos();
                    $wire->ask('PING');
                    $trips[] = $clock->monotonicNanos() - $asked;
                }

                sort($trips);

                return [
                    $at,
                    self::cpu(RedisInfo::parse(is_string($info) ? $info : '')),
                    (float) $trips[intdiv(count($trips), 2)],
                ];
            } finally {
                $wire->close();
            }
        } catch (FactUnavailable $e) {
            return $e;
        }
    }

    /**
     * The CPU time of the thread that runs commands, since Redis 7. Before, the CPU time of the server without its
     * children, which is the same with one thread.
     */
    private static function cpu(RedisInfo $info): ?float
    {
        $ofThread = self::sum($info->number('used_cpu_user_main_thread'), $info->number('used_cpu_sys_main_thread'));

        return $ofThread ?? self::sum($info->number('used_cpu_user'), $info->number('used_cpu_sys'));
    }

    private static function sum(?float $user, ?float $sys): ?float
    {
        return $user === null || $sys === null ? null : $user + $sys;
    }
}
