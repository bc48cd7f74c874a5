<?php

declare(strict_types=1);

namespace Pheanstalk\Values;

use InvalidArgumentException;
use Stringable;

final class TubeName implements Stringable
{
    public readonly string $value;

    public function __construct(int|string $value)
    {
        $this->value = (string) $value;

        if (preg_match('~^(?!-)[A-Za-z0-9+/;.$_()-]{1,200}\z~', $this->value) !== 1) {
            throw new InvalidArgumentException(
                "Invalid tube name: {$this->value}. It must have 1 to 200 of A-Z a-z 0-9 - + / ; ."
                    ." $ _ ( ) and not begin with a hyphen.",
            );
        }
    }

    public function __toString(): string
    {
        return $this->value;
    }
}
