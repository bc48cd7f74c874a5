<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Retryable;
use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The request may or may not have arrived, or the server was too busy.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnableToSend extends RuntimeException implements NamesCause, Retryable
{
    private const NEXT_STEP = 'The flusher sends them again with the same ids.';

    private function __construct(private readonly string $cause, string $nextStep = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$nextStep}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    /** @param string $reason curl's message, which names hosts but no paths */
    public static function noAnswer(Endpoint $to, string $reason): self
    {
        return new self("{$to->origin} did not answer: {$reason}. The events may have arrived.", self::NEXT_STEP);
    }

    public static function answerNotWhole(Endpoint $to, int $status, string $reason): self
    {
        return new self(
            "{$to->origin} answered with HTTP {$status}, but the response broke off: {$reason}."
                .' The events may have arrived.',
            self::NEXT_STEP,
        );
    }

    public static function busy(Endpoint $to, int $status): self
    {
        return new self("{$to->origin} answered with HTTP {$status}: it is too busy for the events.", self::NEXT_STEP);
    }

    /** @param string $what the error number of the server */
    public static function serverError(Endpoint $to, string $what): self
    {
        return new self("{$to->origin} does not take the events now: {$what}.", self::NEXT_STEP);
    }

    public static function incomplete(Endpoint $to, int $left, int $of, string $why): self
    {
        return new self(
            "{$to->origin} took all but ".TerminalText::count($left, 'event')." of {$of}: {$why}",
            $of === 1
                ? 'The flusher sends it again with the same id.'
                : "The flusher sends all {$of} again with the same ids.",
        );
    }
}
