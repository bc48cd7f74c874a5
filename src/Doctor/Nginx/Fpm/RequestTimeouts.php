<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * The time after which a pool must end a request: before each nginx that sends to it gives up. PHP-FPM does not start
 * if request_slowlog_timeout is longer than request_terminate_timeout, so this one follows.
 *
 * @internal
 */
final readonly class RequestTimeouts
{
    public const DEFAULT_MILLISECONDS = 60_000;

    /** @param int $patience milliseconds, the least that nginx waits for this pool; its default where none is known */
    private function __construct(private FpmPool $pool, public int $patience) {}

    public static function of(Facts $facts, FpmPool $pool): self
    {
        $times = [];

        // Without nginx here, the nginx of another machine may send to it.
        foreach ($facts->find(NginxServers::class)->known ?? [] as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                $leadsHere = $pass->unresolved() !== null || array_filter(
                    $pass->targets->addresses(),
                    $pool->listensAt(...),
                ) !== [];
                $time = $leadsHere ? $pass->readTimeout->milliseconds() : null;
                $times = $time === null ? $times : [...$times, $time];
            }
        }

        return new self($pool, $times === [] ? self::DEFAULT_MILLISECONDS : min($times));
    }

    /** @return list<Edit|ManualChange> */
    public function edits(): array
    {
        $slow = $this->pool->settings->seconds('request_slowlog_timeout') ?? 0;

        return [
            PoolEdit::of($this->pool, 'request_terminate_timeout', $this->advised().'s'),
            ...($slow > $this->advised() ? [
                PoolEdit::of($this->pool, 'request_slowlog_timeout', $this->advised().'s'),
            ] : []),
        ];
    }

    /** @return int seconds that a slow log may wait for now, and once the advice is followed */
    public function slowest(): int
    {
        $ends = $this->pool->settings->seconds('request_terminate_timeout') ?? 0;

        return $ends > 0 ? min($ends, max(1, $this->advised())) : $this->advised();
    }

    /** Early enough that PHP ends a request before nginx gives up, and late enough for requests that work today. */
    private function advised(): int
    {
        $seconds = max(1, intdiv($this->patience, 1000));

        return $seconds >= 30 ? $seconds - 5 : $seconds;
    }
}
