<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

/**
 * A part of a message: what it is about, what was seen, and the command that helps.
 */
final readonly class AlertText
{
    /** @internal */
    public function __construct(public string $title, public string $message, public ?string $fix = null) {}

    /** @return list<string> */
    public function lines(): array
    {
        return $this->fix === null
            ? [$this->title, $this->message]
            : [$this->title, $this->message, $this->fix];
    }
}
