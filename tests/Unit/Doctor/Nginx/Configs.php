<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Block;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Tests\Unit\Doctor\Nginx\Config\FilesInMemory;
use PHPUnit\Framework\Assert;

/**
 * Configurations from text, and trees as text.
 */
final readonly class Configs
{
    /** The outermost one. */
    public const FILE = '/etc/nginx/nginx.conf';

    /** @param array<string, string> $more files by path */
    public static function from(string $text, array $more = []): NginxConfig
    {
        return Parser::files(new FilesInMemory([self::FILE => $text, ...$more]), self::FILE);
    }

    /**
     * One line for each directive: dots for its depth, name and arguments.
     *
     * @return list<string>
     */
    public static function tree(Block $block, int $depth = 0): array
    {
        $lines = [];

        foreach ($block->directives() as $directive) {
            $lines[] = str_repeat('.', $depth).$directive->text();
            array_push($lines, ...($directive->block === null ? [] : self::tree($directive->block, $depth + 1)));
        }

        return $lines;
    }

    /** Why the doctor cannot read it. */
    public static function refusal(string $text): ?FactUnavailable
    {
        try {
            self::from($text);
        } catch (FactUnavailable $e) {
            return $e;
        }

        return null;
    }

    public static function only(NginxConfig $config, string ...$path): Directive
    {
        $found = $config->blocks(...$path);
        Assert::assertCount(1, $found);

        return $found[0];
    }
}
