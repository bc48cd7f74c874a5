<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

/**
 * The data of one bucket. A name that no bucket has is never part of a path.
 *
 * @internal
 */
final readonly class BucketController
{
    public function bucket(SpoolServices $spool, string $bucket): Response
    {
        return self::of($spool, $bucket, static fn (): Response
            => JsonResponse::of((new BucketDocument($spool))->toArray($bucket)));
    }

    public function dead(Request $request, SpoolServices $spool, Repository $config, string $bucket): Response
    {
        return self::of($spool, $bucket, static fn (): Response => JsonResponse::of((new DeadLetterPage(
            $spool->bucketTools($bucket)->letters(),
            (new ShownEvents($spool, $config))->row($bucket),
            DeadLetterQuery::of($request),
            $spool->clock(),
        ))->toArray()));
    }

    public function events(Request $request, SpoolServices $spool, Repository $config, string $bucket): Response
    {
        $limit = $request->query('limit');

        return self::of($spool, $bucket, static fn (): Response => JsonResponse::of(
            (new EventsDocument($spool, (new ShownEvents($spool, $config))->values($bucket)))
                ->toArray($bucket, is_string($limit) ? (int) $limit : EventsDocument::LIMIT),
        ));
    }

    /** @param callable(): Response $answer */
    private static function of(SpoolServices $spool, string $bucket, callable $answer): Response
    {
        return DataController::answer(static fn (): Response
            => (new KnownBuckets($spool))->has($bucket) ? $answer() : KnownBuckets::none());
    }
}
