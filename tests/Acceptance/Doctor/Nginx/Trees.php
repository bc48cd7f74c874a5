<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Nginx;

use Headroom\Doctor\Nginx\Config\Block;

final readonly class Trees
{
    /** @return list<string> each directive with its place */
    public static function lines(Block $block, int $depth = 0): array
    {
        $lines = [];

        foreach ($block->directives() as $directive) {
            $lines[] = str_repeat('  ', $depth)
                .json_encode(
                    [$directive->name, ...$directive->arguments],
                    JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE,
                )
                ." {$directive->where()}";

            if ($directive->block !== null) {
                array_push($lines, ...self::lines($directive->block, $depth + 1));
            }
        }

        return $lines;
    }
}
