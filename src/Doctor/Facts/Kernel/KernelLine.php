<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Kernel;

use Headroom\Core\Printable;
use Headroom\Doctor\Evidence;

/**
 * @internal
 */
final readonly class KernelLine
{
    public function __construct(public float $secondsAgo, public string $text) {}

    public function evidence(): Evidence
    {
        return new Evidence(sprintf('%s ago', $this->secondsAgo < 5_400.0 ? sprintf('%.0f min', $this->secondsAgo / 60.0) : sprintf('%.0f h', $this->secondsAgo / 3_600.0)), Printable::name($this->text), 'dmesg');
    }
}
