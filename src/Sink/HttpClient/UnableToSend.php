<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Retryable;
use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * Nobody knows whether it arrived, or the server has no time for it now.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnableToSend extends RuntimeException implements NamesCause, Retryable
{
    private const OUTLOOK = 'They go there again with the same ids.';

    private function __construct(private readonly string $cause, string $outlook = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$outlook}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    /** @param string $reason in curl's words, which name hosts and never paths */
    public static function noAnswer(Endpoint $to, string $reason): self
    {
        return new self("{$to->shown} gave no answer: {$reason}. Whether it has the events is not known.", self::OUTLOOK);
    }

    public static function answerNotWhole(Endpoint $to, int $status, string $reason): self
    {
        return new self("{$to->shown} began to answer with HTTP {$status} and did not end: {$reason}. Whether it has the events is not known.", self::OUTLOOK);
    }

    public static function busy(Endpoint $to, int $status): self
    {
        return new self("{$to->shown} answered with HTTP {$status}: it does not take the events now.", self::OUTLOOK);
    }

    /** @param string $what the server's own number for it */
    public static function exception(Endpoint $to, string $what): self
    {
        return new self("{$to->shown} does not take the events now: {$what}.", self::OUTLOOK);
    }

    public static function someLeft(Endpoint $to, int $left, int $of, string $why): self
    {
        return new self("{$to->shown} has taken all but ".TerminalText::count($left, 'event')." of {$of}: {$why}", $of === 1 ? 'It goes there again with the same id.' : "All {$of} go there again with the same ids.");
    }
}
