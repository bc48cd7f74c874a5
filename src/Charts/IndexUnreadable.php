<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\HttpResponse;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The index returned no counts. Viewers of a chart read the message, so it contains no text of the server's error.
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
        return new self(
            503,
            'The index cannot be reached',
            "{$from->origin} did not answer: {$reason}. Check that it runs, and that this machine can reach it.",
        );
    }

    public static function by(Endpoint $from, HttpResponse $answer, string $index): self
    {
        $type = self::type($answer);

        return match (true) {
            $answer->status === 404 && $type === 'index_not_found_exception' => new self(
                503,
                'There is no index yet',
                "{$from->origin} has no index '{$index}'. The first event creates it,"
                    .' or `headroom:collect:install` does.',
            ),
            in_array($answer->status, [401, 403], true) => new self(
                502,
                'The index denies access',
                "{$from->origin} answered with HTTP {$answer->status}. Allow the user or key of the bucket to read"
                    ." '{$index}'.",
            ),
            HttpResponse::isBusy($answer->status) => new self(
                503,
                'The index is busy',
                "{$from->origin} answered with HTTP {$answer->status}. Try again in a moment, or query a"
                    .' shorter range.',
            ),
            $answer->status === 400 => new self(
                502,
                'The index rejects the query',
                "{$from->origin} rejected it: {$type}. The fields @timestamp, type, source and key of '{$index}' must"
                    .' be a date and keywords, as `headroom:collect:install` creates them.',
            ),
            default => new self(
                502,
                'The index cannot be read',
                "{$from->origin} answered with HTTP {$answer->status}: {$type}.",
            ),
        };
    }

    public static function counts(UnreadableCounts $e): self
    {
        return new self(502, 'The index cannot be read', $e->getMessage());
    }

    /** The type of the error. Its message could quote documents and addresses. */
    private static function type(HttpResponse $answer): string
    {
        $body = json_decode($answer->body, true);
        $error = is_array($body) ? $body['error'] ?? null : null;
        $causes = is_array($error) ? $error['root_cause'] ?? null : null;
        $cause = is_array($causes) && is_array($causes[0] ?? null) ? $causes[0] : $error;
        $type = is_array($cause) ? $cause['type'] ?? null : null;

        return is_string($type) ? TerminalText::name($type, 80) : 'no reason given';
    }
}
