<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Closure;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;

/**
 * The Redis servers of the application, or of the command line.
 *
 * @internal
 */
final readonly class RedisServers
{
    /** @param non-empty-list<RedisServer> $servers */
    public function __construct(private array $servers) {}

    /**
     * @param Closure(RedisServer): Finding $examine
     * @return list<Finding>
     */
    public function each(Closure $examine): array
    {
        $findings = [];

        foreach ($this->servers as $server) {
            try {
                $finding = $server->trouble === '' ? $examine($server) : Finding::unknown(
                    $server->trouble,
                    $server->cli('ping'),
                );
            } catch (FactUnavailable $e) {
                $finding = Finding::unavailable($e);
            } catch (NotApplicable $e) {
                $finding = Finding::skipped($e->getMessage());
            }

            $findings[] = $finding->about($server->place)->aboutPartOf(self::class);
        }

        return $findings;
    }
}
