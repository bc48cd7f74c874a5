<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Http\Response;

/**
 * The buckets that a request may name.
 *
 * @internal
 */
final readonly class KnownBuckets
{
    public function __construct(private SpoolServices $spool) {}

    /** @return list<string> declared buckets, and buckets on this disk; Redis is not asked */
    public function onThisMachine(): array
    {
        $store = $this->spool->store();
        $names = [...$this->spool->config()->names(), ...($store->isUntouched() ? [] : $store->buckets())];
        $names = array_values(array_unique($names));
        sort($names);

        return $names;
    }

    public function has(string $bucket): bool
    {
        return in_array($bucket, $this->onThisMachine(), true)
            || in_array($bucket, $this->spool->stores()->buckets(), true);
    }

    public static function none(): Response
    {
        return JsonResponse::problem(404, 'There is no such bucket', 'It is not declared, and was never written to.');
    }
}
