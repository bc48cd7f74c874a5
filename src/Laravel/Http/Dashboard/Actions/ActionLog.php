<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Actions;

use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\TerminalText;
use Illuminate\Contracts\Auth\Authenticatable;
use Illuminate\Http\Request;
use Throwable;

/**
 * Writes to the application's log which user has done what.
 *
 * @internal
 */
final readonly class ActionLog
{
    private const MAX_BYTES = 200;

    public function __construct(private SpoolServices $spool, private Request $request) {}

    /** The user, in words. Only an application in the environment `local` may have none. */
    public function user(): string
    {
        $id = $this->id();

        return $id === null ? 'a user without a login' : 'user '.TerminalText::name($id, self::MAX_BYTES);
    }

    public function record(string $action, ?string $bucket, int $count, ?string $reason = null): void
    {
        $address = $this->request->ip() ?? '';
        $message = "headroom: {$this->user()} at {$address}: {$action}"
            .($bucket === null ? '' : " {$bucket}, {$count}")
            .($reason === null ? '' : ": {$reason}");

        try {
            $this->spool->logger()->info($message, [
                'action' => $action,
                'bucket' => $bucket,
                'count' => $count,
                'user' => $this->id(),
                'address' => $address,
                ...($reason === null ? [] : ['reason' => $reason]),
            ]);
        } catch (Throwable $e) {
            // A full disk must not keep an operator from acting. PHP's own log has the line then.
            PhpRestrictions::call('error_log', "{$message} (The application's log failed: {$e->getMessage()})");
        }
    }

    private function id(): ?string
    {
        $user = $this->request->user();
        $id = $user instanceof Authenticatable ? $user->getAuthIdentifier() : null;

        return is_scalar($id) ? (string) $id : null;
    }

    /** A text that a user has typed, on one line. */
    public static function typed(mixed $text): ?string
    {
        $text = is_string($text) ? trim(mb_scrub(substr($text, 0, 2 * self::MAX_BYTES), 'UTF-8')) : '';

        return $text === '' ? null : TerminalText::name($text, self::MAX_BYTES);
    }
}
