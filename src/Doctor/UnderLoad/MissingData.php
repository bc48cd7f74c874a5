<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * Data that could not be read while the doctor looked.
 *
 * @internal
 */
final readonly class MissingData
{
    /** @param string $command what would tell; '' where nothing would */
    public function __construct(public string $what, public string $reason, public string $command = '') {}

    /** @return array{what: string, reason: string, command: string} */
    public function toArray(): array
    {
        return ['what' => $this->what, 'reason' => $this->reason, 'command' => $this->command];
    }
}
