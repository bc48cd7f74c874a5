<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Services\SpoolServices;

/**
 * A bucket whose state file cannot be read. A flush cannot record its failure in that file, so no other check sees it.
 *
 * @internal
 */
final readonly class StateIsUnreadable implements HealthCheck
{
    public function __construct(private SpoolServices $spool) {}

    public function findings(): array
    {
        $buckets = $this->spool->isUntouched() ? [] : $this->spool->store()->buckets();

        return array_values(array_filter(array_map($this->ofBucket(...), $buckets)));
    }

    public function ofBucket(string $name): ?Finding
    {
        $store = $this->spool->store();

        try {
            (new StateFile($store->layout($name)->stateFile, $store->permissions))->read();
        } catch (HeadroomException $e) {
            return new Finding(
                "bucket {$name}",
                "None of its events can be delivered: {$e->getMessage()}",
                "Run `spool:verify {$name}`, and see \"When the state file is lost\" in the package's"
                    .' docs/dead-letters.md.',
            );
        }

        return null;
    }
}
