<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Core\HeadroomException;
use Headroom\Laravel\Http\Dashboard\History\HistoryDocument;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Http\Request;
use Illuminate\Http\Response;

/**
 * The data of the whole machine.
 *
 * @internal
 */
final readonly class DataController
{
    public function now(Application $app, SpoolServices $spool): Response
    {
        return self::answer(static function () use ($app, $spool): Response {
            $body = NowCache::of($app, $spool);
            $at = json_encode($spool->clock()->micros() / 1_000_000, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);

            return JsonResponse::text("{\"at\":{$at},".substr($body, 1));
        });
    }

    public function nodes(SpoolServices $spool): Response
    {
        return self::answer(static fn (): Response => JsonResponse::of((new NodesDocument($spool))->toArray()));
    }

    public function history(Request $request, SpoolServices $spool): Response
    {
        $bucket = $request->query('bucket');
        $minutes = $request->query('minutes', '60');

        return self::answer(static function () use ($bucket, $minutes, $spool): Response {
            $known = (new KnownBuckets($spool))->onThisMachine();

            return match (true) {
                ! is_string($minutes) || ! in_array($minutes, array_map(strval(...), HistoryDocument::MINUTES), true)
                    => JsonResponse::problem(400, 'Invalid query', 'The minutes must be 60, 360 or 1440.'),
                $bucket !== null && ! in_array($bucket, $known, true) => KnownBuckets::none(),
                is_string($bucket)
                    => JsonResponse::of((new HistoryDocument($spool))->of($bucket, (int) $minutes)),
                default => JsonResponse::of((new HistoryDocument($spool))->sum($known, (int) $minutes)),
            };
        });
    }

    public function machine(Application $app, SpoolServices $spool): Response
    {
        return self::answer(static fn (): Response => JsonResponse::of((new MachineDocument($app, $spool))->toArray()));
    }

    /** @param callable(): Response $answer */
    public static function answer(callable $answer): Response
    {
        try {
            return PhpRestrictions::within($answer(...));
        } catch (HeadroomException $e) {
            return JsonResponse::problem(
                500,
                'The buffer cannot be read',
                Sentences::withCommands("{$e->getMessage()} See `spool:health`."),
            );
        }
    }
}
