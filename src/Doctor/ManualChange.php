<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A change that the doctor cannot write as edits of lines: it names the setting, the file and the place.
 *
 * @internal
 */
final readonly class ManualChange
{
    /**
     * @param string $text one sentence
     * @param string $apply the command that makes it effective; '' if none is needed
     */
    public function __construct(public string $text, public string $apply = '') {}

    /** @param string $command such as a reload of the server that reads the file */
    public function effectiveAfter(string $command): self
    {
        return new self($this->text, $command);
    }
}
