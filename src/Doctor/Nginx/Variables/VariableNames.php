<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Variables;

/**
 * @internal
 */
final readonly class VariableNames
{
    /** @return list<string> names, each once, without $ and braces */
    public static function in(string $argument): array
    {
        preg_match_all('/\$(?|\{(\w+)\}|(\w+))/', $argument, $found);

        return array_values(array_unique($found[1]));
    }
}
