<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Facts\Nginx\Block;
use Headroom\Doctor\Facts\Nginx\Directive;
use Headroom\Doctor\Facts\Nginx\Misread;
use Headroom\Doctor\Facts\Nginx\NginxConfig;
use Headroom\Doctor\Facts\Nginx\Parser;
use PHPUnit\Framework\Assert;

/**
 * Configurations from text, and trees as text.
 */
final readonly class Configs
{
    /** @param array<string, string> $more files by path */
    public static function from(string $text, array $more = []): NginxConfig
    {
        return Parser::files(new FilesInMemory(['/etc/nginx/nginx.conf' => $text, ...$more]), '/etc/nginx/nginx.conf');
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

    /** @return list<string> without the name of the outermost file, but for its line */
    public static function misreads(NginxConfig $config): array
    {
        return array_map(static fn (Misread $misread): string => str_replace('/etc/nginx/nginx.conf:', '', $misread->text()), $config->misreads);
    }

    public static function only(NginxConfig $config, string ...$path): Directive
    {
        $found = $config->blocks(...$path);
        Assert::assertCount(1, $found);

        return $found[0];
    }
}
