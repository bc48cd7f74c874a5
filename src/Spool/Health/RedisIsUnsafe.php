<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Services\SpoolServices;

/**
 * A Redis server that would lose events or refuses them. A finding that several buckets share is reported once.
 *
 * @internal
 */
final readonly class RedisIsUnsafe implements HealthCheck
{
    public function __construct(private SpoolServices $spool) {}

    public function findings(): array
    {
        $findings = $names = [];

        foreach ($this->spool->config()->names() as $name) {
            foreach ($this->spool->stores()->isOnRedis($name) ? $this->of($name) : [] as $finding) {
                $key = "{$finding->message}\0{$finding->fix}";
                $findings[$key] ??= $finding;
                $names[$key][] = $name;
            }
        }

        return array_map(
            static fn (Finding $finding, array $of): Finding => count($of) === 1
                ? $finding
                : $finding->about('buckets '.implode(', ', $of).', redis'),
            array_values($findings),
            array_values($names),
        );
    }

    /** @return list<Finding> */
    private function of(string $name): array
    {
        try {
            $store = $this->spool->stores()->redis($name);
        } catch (HeadroomException $e) {
            return [new Finding(
                "bucket {$name}",
                $e->getMessage(),
                'Correct spool.redis, or that connection in config/database.php, and run '
                    ."`config:clear`. Or set the bucket's store to file.",
            )];
        }

        return $store === null ? [] : (new RedisServer(
            $store->client,
            $this->spool->config(),
            $this->spool->clock(),
        ))->findings($name);
    }
}
