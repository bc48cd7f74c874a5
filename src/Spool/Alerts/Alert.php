<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

use Headroom\Core\Finding;

/**
 * A problem that an operator has to know of.
 */
final readonly class Alert
{
    /**
     * @param string $subject the object, such as "bucket api-events"
     * @param string $message the value seen; it may contain text from a sink
     * @param string $fix the command that helps, in backticks
     */
    public function __construct(
        public AlertCause $cause,
        public string $subject,
        public string $message,
        public string $fix,
        public ?string $bucket = null,
    ) {}

    /** @internal */
    public static function of(AlertCause $cause, Finding $finding, ?string $bucket = null): self
    {
        return new self($cause, $finding->subject, $finding->message, $finding->fix, $bucket);
    }

    /** The identity of the problem while its numbers change: "dead_letters:api-events". */
    public function key(): string
    {
        return "{$this->cause->value}:".($this->bucket ?? $this->subject);
    }

    /** @return array{cause: string, title: string, subject: string, message: string, fix: string, bucket: ?string} */
    public function toArray(): array
    {
        return [
            'cause' => $this->cause->value,
            'title' => $this->cause->title(),
            'subject' => $this->subject,
            'message' => $this->message,
            'fix' => $this->fix,
            'bucket' => $this->bucket,
        ];
    }
}
