<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Actions;

use Headroom\Core\HeadroomException;
use Headroom\Laravel\Doctor\DoctorLauncher;
use Headroom\Laravel\Http\Dashboard\Data\KnownBuckets;
use Headroom\Laravel\Http\Dashboard\Data\NowCache;
use Headroom\Laravel\Http\Dashboard\Data\NowDocument;
use Headroom\Laravel\Http\Dashboard\Data\ShownEvents;
use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Laravel\Text\Sentences;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Http\Request;
use Symfony\Component\HttpFoundation\Response;

/**
 * Does what a user of the page asks for. Laravel's middleware has checked the session, the CSRF token and the gates.
 *
 * @internal
 */
final readonly class ActionController
{
    public function __invoke(
        Request $request,
        Application $app,
        SpoolServices $spool,
        Repository $config,
        string $action,
    ): Response {
        if (! $request->hasSession()) {
            return JsonResponse::problem(
                403,
                'There is no session',
                "Without one, Laravel cannot check that this page has sent the action. Add the middleware 'web' to"
                    .' headroom.dashboard.middleware.',
            );
        }

        $log = new ActionLog($spool, $request);

        try {
            return PhpRestrictions::within(static fn (): Response => $action === 'doctor'
                ? (new DoctorAction(new DoctorLauncher($app, $spool->clock())))->run($log)
                : self::onBucket($request, $spool, $config, $log, $action));
        } catch (BucketBusy $e) {
            return JsonResponse::problem(409, 'The bucket is being flushed', Sentences::withCommands($e->getMessage()));
        } catch (HeadroomException $e) {
            return JsonResponse::problem(500, 'The action failed', Sentences::withCommands($e->getMessage()));
        } finally {
            (new NowCache($app->storagePath(NowDocument::CACHE), $spool->clock()))->forget();
        }
    }

    private static function onBucket(
        Request $request,
        SpoolServices $spool,
        Repository $config,
        ActionLog $log,
        string $action,
    ): Response {
        $bucket = $request->json('bucket');

        if (! is_string($bucket) || ! (new KnownBuckets($spool))->has($bucket)) {
            return KnownBuckets::none();
        }

        if ($action === 'pause' || $action === 'resume') {
            $switch = new PauseAction($spool);

            return $action === 'pause'
                ? $switch->pause($bucket, $log, $request->json('reason'))
                : $switch->resume($bucket, $log);
        }

        $selection = LetterSelection::of($bucket, $request);
        $letters = new LetterActions($spool, $log);

        return match (true) {
            $selection === null => JsonResponse::problem(
                422,
                'No dead letters are named',
                'Send either ids, a kind, or all.',
            ),
            $action === 'export' => $letters->export($selection, (new ShownEvents($spool, $config))->row($bucket)),
            $action === 'retry' => $letters->retry($selection),
            default => $letters->forget($selection),
        };
    }
}
