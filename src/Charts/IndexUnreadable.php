<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\HttpResponse;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The index has no counts to give: why, and what to do. Whoever looks at a chart may not be who may see more of it.
 *
 * @internal
 */
final class IndexUnreadable extends RuntimeException
{
    private function __construct(public readonly int $status, public readonly string $title, string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function noAnswer(Endpoint $from, string $reason): self
    {
        return new self(503, 'The index can not be reached', "{$from->shown} gave no answer: {$reason}. Check that it runs, and that this machine reaches it.");
    }

    public static function by(Endpoint $from, HttpResponse $answer, string $index): self
    {
        $type = self::type($answer);

        return match (true) {
            $answer->status === 404 && $type === 'index_not_found_exception' => new self(503, 'There is no index yet', "{$from->shown} has nothing called '{$index}'. It is made by the first event that arrives, or by `headroom:collect:install`."),
            in_array($answer->status, [401, 403], true) => new self(502, 'The index does not let this page in', "{$from->shown} answered with HTTP {$answer->status}. The user or key of the bucket needs the right to read '{$index}'."),
            HttpResponse::isBusy($answer->status) => new self(503, 'The index is busy', "{$from->shown} answered with HTTP {$answer->status}. Try again in a moment, or ask for a shorter range."),
            $answer->status === 400 => new self(502, 'The index does not understand the question', "{$from->shown} refused it: {$type}. The fields @timestamp, type, source and key of '{$index}' must be a date and keywords, as `headroom:collect:install` makes them."),
            default => new self(502, 'The index can not be read', "{$from->shown} answered with HTTP {$answer->status}: {$type}."),
        };
    }

    public static function counts(UnreadableCounts $e): self
    {
        return new self(502, 'The index can not be read', $e->getMessage());
    }

    /** The kind of error and not its words, which quote documents and addresses. */
    private static function type(HttpResponse $answer): string
    {
        $body = json_decode($answer->body, true);
        $error = is_array($body) ? $body['error'] ?? null : null;
        $causes = is_array($error) ? $error['root_cause'] ?? null : null;
        $cause = is_array($causes) && is_array($causes[0] ?? null) ? $causes[0] : $error;
        $type = is_array($cause) ? $cause['type'] ?? null : null;

        return is_string($type) ? TerminalText::name($type, 80) : 'it did not say why';
    }
}
