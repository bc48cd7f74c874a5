<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Nginx\Config\Block;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\ParseIssue;
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

    /**
     * @param list<ParseIssue|list<string>> $expected the whole of it, or its place,
     *     its token and what its message names
     * @param list<ParseIssue> $misreads
     */
    public static function assertMisread(array $expected, array $misreads): void
    {
        $texts = implode("\n", array_map(static fn (ParseIssue $misread): string => $misread->text(), $misreads));
        Assert::assertCount(count($expected), $misreads, $texts);

        foreach ($expected as $i => $one) {
            if ($one instanceof ParseIssue) {
                Assert::assertEquals($one, $misreads[$i]);

                continue;
            }

            Assert::assertSame(
                [$one[0], $one[1]],
                [str_replace(self::FILE.':', '', $misreads[$i]->where()), $misreads[$i]->token],
            );

            foreach (array_slice($one, 2) as $name) {
                Assert::assertStringContainsString($name, $misreads[$i]->message);
            }
        }
    }

    public static function only(NginxConfig $config, string ...$path): Directive
    {
        $found = $config->blocks(...$path);
        Assert::assertCount(1, $found);

        return $found[0];
    }
}
