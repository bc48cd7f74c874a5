<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Closure;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\PhpProcesses;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class MaxClients implements Check
{
    private const FULL = 0.8;

    private const RESERVE = 100;

    public function examine(Facts $facts): iterable
    {
        $php = PhpProcesses::of($facts);

        return $facts->get(RedisServers::class)->each(
            fn (RedisServer $server): Finding => $this->of($facts, $php, $server),
        );
    }

    private function of(Facts $facts, PhpProcesses $php, RedisServer $server): Finding
    {
        $connected = $server->number('connected_clients');
        $most = $server->has('maxclients') ? $server->number('maxclients') : (float) $server->setting('maxclients');
        $rejected = $server->number('rejected_connections');
        $each = $this->connections($facts, $server);
        $sum = $each * $php->number;
        $evidence = [
            $server->shown('connected_clients'),
            new Evidence('maxclients', (string) (int) $most, "INFO of {$server->place}"),
            $server->shown('rejected_connections'),
            ...($each === 0 ? [] : $php->evidence),
            ...(
                $each === 0 ? [] : [
                    new Evidence('connections of a process', (string) $each, 'config/database.php'),
                    new Evidence('sum', (string) $sum, 'processes times connections of a process'),
                ]
            ),
        ];
        $more = (int) max(2 * $most, $sum + self::RESERVE);

        if ($rejected <= 0.0 && $connected <= self::FULL * $most) {
            return match (true) {
                $sum > $most => $this->found(
                    Finding::warn(...),
                    "PHP processes and workers of this machine may open {$sum} connections, and Redis takes "
                        .(int) $most.'.',
                    $evidence,
                    $server,
                    (int) $most,
                    $more,
                ),
                $each > 0 && $php->unknown !== null => throw $php->unknown,
                default => Finding::pass('there is room', ...$evidence),
            };
        }

        $message = $rejected > 0.0 ? sprintf(
            'It has turned away %d connections since it started.',
            $rejected,
        ) : sprintf('%d of %d connections are taken.', $connected, $most);

        return $this->found(
            Finding::fail(...),
            $message,
            $evidence,
            $server,
            (int) $most,
            $more,
        )->restingOn(Confidence::Observed);
    }

    /** Names of connections to this server that a process may hold at once; 0 where no application is known. */
    private function connections(Facts $facts, RedisServer $server): int
    {
        try {
            $used = (new RedisUsage($facts->get(Application::class)))->used();
        } catch (NotApplicable|FactUnavailable) {
            return 0;
        }

        return count(array_unique(array_intersect_key($used, array_flip($server->uses))));
    }

    /**
     * @param Closure(string, list<Evidence>, string, Fix): Finding $as
     * @param list<Evidence> $evidence
     */
    private function found(
        Closure $as,
        string $message,
        array $evidence,
        RedisServer $server,
        int $most,
        int $more,
    ): Finding {
        return $as(
            $message,
            $evidence,
            'Requests that need Redis fail at once when it is full.',
            new Fix(
                'Raise maxclients and the limit of open files of its unit; a sum of PHP processes and '
                    .'workers times their connections says how far.',
                $server->keep("maxclients {$more}"),
                [
                    ...$server->set("maxclients {$more}"),
                    "sudo systemctl edit {$server->product()}-server   # [Service] LimitNOFILE=".max(32_768, 2 * $more),
                    $server->cli('config resetstat'),
                ],
                implode(' && ', $server->set("maxclients {$most}")),
                $server->cli('info clients'),
            ),
        );
    }
}
