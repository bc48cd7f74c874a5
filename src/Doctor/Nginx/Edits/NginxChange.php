<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Edits;

use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\Config\SourceSpan;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\NginxFacts;

/**
 * A change of a configuration, at the place where its directive stands in the text of its file.
 *
 * @internal
 */
final readonly class NginxChange
{
    /** No configuration has this byte. It marks removed text, whose blanks or whole line go with it. */
    public const NOTHING = "\0";

    /** Blocks that take no settings of FastCGI or of files. */
    private const NARROW = ['if', 'limit_except'];

    /**
     * @param ?Directive $at that must be in the file unchanged; null where the configuration has no directive
     * @param ?SourceSpan $span the text to replace; null where its place is unknown
     * @param string $with the new text
     * @param string $byHand the instruction for a file that cannot be edited by line
     */
    private function __construct(
        public ?Directive $at,
        public ?SourceSpan $span,
        public string $with,
        public string $byHand,
    ) {}

    /** The directive becomes another one. */
    public static function to(Directive $directive, string $text): self
    {
        $byHand = self::phrase("Change `{$directive->text()};` in {$directive->where()} to `{$text};`.", $directive);

        return new self($directive, $directive->span, "{$text};", $byHand);
    }

    /** @param list<string> $arguments as nginx reads them */
    public static function arguments(Directive $directive, array $arguments): self
    {
        return self::to($directive, implode(' ', [$directive->name, ...array_map(self::quoted(...), $arguments)]));
    }

    /** Null if no directive sets it. */
    public static function ofSetting(NginxSetting $setting, string $text): ?self
    {
        return $setting->directive === null ? null : self::to($setting->directive, $text);
    }

    public static function without(Directive $directive): self
    {
        $byHand = self::phrase("Take `{$directive->text()};` out of {$directive->where()}.", $directive);

        return new self($directive, $directive->span, self::NOTHING, $byHand);
    }

    /** Before a directive, in its block; where that block takes no such settings, before the block. */
    public static function before(Directive $directive, string $text): self
    {
        $directive = self::wide($directive);
        $span = $directive->span === null ? null : new SourceSpan($directive->span->start, $directive->span->start);

        return new self(
            $directive,
            $span,
            "{$text};\n",
            "Add `{$text};` before `{$directive->text()}` in {$directive->where()}.",
        );
    }

    /** As the first directive of a block. */
    public static function into(Directive $block, string $text): self
    {
        foreach ($block->block?->directives() ?? [] as $first) {
            if ($first->file === $block->file) {
                return self::before($first, $text);
            }
        }

        $span = $block->span === null ? null : new SourceSpan($block->span->end, $block->span->end);

        return new self(
            $block,
            $span,
            " {$text}; ",
            "Add `{$text};` to the block `{$block->text()}` of {$block->where()}.",
        );
    }

    /** Outside of all blocks. */
    public static function outside(NginxConfig $config, string $text): self
    {
        $file = $config->files[0] ?? 'nginx.conf';

        foreach ($config->main->directives() as $first) {
            if ($first->file === $file) {
                return self::before($first, $text);
            }
        }

        return new self(null, null, '', "Add `{$text};` to {$file}, outside of all blocks.");
    }

    /**
     * Makes nginx keep no connection at these places. Other places keep theirs.
     *
     * @return list<self>
     */
    public static function keepingNone(NginxFacts $facts, FastcgiPass ...$passes): array
    {
        $own = array_column($passes, 'directive');
        $others = array_filter(
            $facts->passes(),
            static fn (FastcgiPass $one): bool => $one->kept() !== [] && ! in_array($one->directive, $own, true),
        );
        $changes = [];

        foreach ($passes as $pass) {
            $directive = $pass->keepConn->directive;

            if ($directive !== null) {
                $place = self::isNeeded($directive, $pass, $others) ? self::wide($pass->directive)->parent : $directive;
                $changes['at '.spl_object_id($place ?? $directive)] ??= $place === $directive || $place === null
                    ? self::to($directive, 'fastcgi_keep_conn off')
                    : self::before($pass->directive, 'fastcgi_keep_conn off');
            }

            foreach ($pass->targets->upstreams() as $upstream) {
                $keeping = array_filter($others, static fn (FastcgiPass $one): bool => $one->targets->has($upstream));

                if ($upstream->keepalive->directive !== null && $keeping === []) {
                    $changes["of {$upstream->name}"] = self::without($upstream->keepalive->directive);
                }
            }
        }

        return array_values($changes);
    }

    /**
     * Whether other places inherit it too, so that this one must have one of its own.
     *
     * @param array<FastcgiPass> $others that keep connections
     */
    private static function isNeeded(Directive $keepConn, FastcgiPass $pass, array $others): bool
    {
        $inherited = array_map(static fn (FastcgiPass $one): ?Directive => $one->keepConn->directive, $others);

        return in_array($keepConn, $inherited, true) && self::wide($pass->directive)->parent !== $keepConn->parent;
    }

    /** The directive, or the block around it whose own block takes such settings. */
    private static function wide(Directive $directive): Directive
    {
        while (in_array($directive->parent?->name, self::NARROW, true)) {
            $directive = $directive->parent;
        }

        return $directive;
    }

    private static function phrase(string $text, Directive $directive): string
    {
        return $directive->file === Parser::GLOBALS
            ? "{$text} Start nginx again with that: a reload keeps its command line."
            : $text;
    }

    private static function quoted(string $argument): string
    {
        return preg_match('/\A[^\s;{}"\'\\\\#]+\z/', $argument) === 1
            ? $argument
            : '"'.strtr($argument, ['\\' => '\\\\', '"' => '\\"']).'"';
    }
}
