<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * A change that the doctor cannot write as edits of lines: it names what has to be changed, in which file and where.
 *
 * @internal
 */
final readonly class ManualChange
{
    /** @param string $text one sentence */
    public function __construct(public string $text) {}
}
