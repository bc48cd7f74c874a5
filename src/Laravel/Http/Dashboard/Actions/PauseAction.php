<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Actions;

use Headroom\Laravel\Http\Dashboard\JsonResponse;
use Headroom\Spool\Services\PauseSwitch;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Http\Response;

/**
 * Does the same as `spool:pause` and `spool:resume`. The pause names the user of the page.
 *
 * @internal
 */
final readonly class PauseAction
{
    private PauseSwitch $switch;

    public function __construct(private SpoolServices $spool)
    {
        $this->switch = new PauseSwitch($spool);
    }

    public function pause(string $bucket, ActionLog $log, mixed $reason): Response
    {
        $typed = ActionLog::typed($reason);
        $by = "{$log->user()} of the dashboard".($typed === null ? '' : " ({$typed})");
        $isNew = $this->switch->pause($bucket, $by);
        $log->record('pause', $bucket, (int) $isNew, $typed);
        $isNew ? $this->switch->notifyPaused($bucket) : null;
        $isDelivering = $this->spool->stores()->flushing($bucket) !== null;

        return self::answer($isNew, ($isNew ? 'It is paused.' : 'It was paused before.')
            .($isDelivering ? ' A process is still delivering its current batch.' : ''));
    }

    public function resume(string $bucket, ActionLog $log): Response
    {
        $isResumed = $this->switch->resume($bucket);
        $log->record('resume', $bucket, (int) $isResumed);

        return self::answer(
            $isResumed,
            $isResumed ? 'The next flush delivers its events.' : 'It was not paused.',
        );
    }

    private static function answer(bool $isDone, string $message): Response
    {
        return JsonResponse::of(['done' => (int) $isDone, 'remaining' => 0, 'message' => $message, 'next' => null]);
    }
}
