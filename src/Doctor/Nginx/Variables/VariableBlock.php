<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Variables;

use Headroom\Doctor\Nginx\Config\Directive;

/**
 * A map, geo or split_clients: one of its entries gives a variable its value.
 *
 * @internal
 */
final readonly class VariableBlock
{
    /** Entries that configure the block and give the variable no value. */
    private const PARAMETERS = [
        'map' => ['hostnames', 'volatile'],
        'geo' => ['proxy', 'proxy_recursive', 'ranges', 'delete', 'volatile'],
        'split_clients' => [],
    ];

    public function __construct(private VariableValues $variables, private Directive $directive) {}

    /**
     * @param array<string, PossibleValues> $set values that `set` has given until then
     * @param list<string> $open variables that are being resolved
     */
    public function values(?Directive $server, array $set, array $open): PossibleValues
    {
        return match ($this->directive->name) {
            'map' => $this->mapped($server, $set, $open),
            'split_clients' => $this->split(),
            default => $this->literal($this->first('default') === null),
        };
    }

    /**
     * @param array<string, PossibleValues> $set
     * @param list<string> $open
     */
    private function mapped(?Directive $server, array $set, array $open): PossibleValues
    {
        $sources = $this->variables->of($this->directive->argument(0) ?? '', $server, $set, open: $open);
        $values = PossibleValues::none();

        if ($sources->reason() !== null) {
            foreach ($this->entries() as $entry) {
                $values = $values->or($this->variables->of($entry->argument(0) ?? '', $server, $set, open: $open));
            }

            return $this->first('default') === null ? $values->or(PossibleValues::text('')) : $values;
        }

        // One that is known takes one of the entries, as nginx looks it up.
        foreach ($sources->known() as $source) {
            $captures = [];

            if ($this->first('hostnames') !== null && str_ends_with($source, '.')) {
                $source = substr($source, 0, -1);
            }

            $entry = $this->exact($source) ?? $this->wildcard($source) ?? $this->expression($source, $captures);
            $entry ??= $this->first('default');
            $values = $values->or($this->variables->of($entry?->argument(0) ?? '', $server, $set, $captures, $open));
        }

        return $values;
    }

    /** Without an entry `*` the rest of 100 % has no value. */
    private function split(): PossibleValues
    {
        $share = 0.0;

        foreach ($this->entries() as $entry) {
            $share += $entry->name === '*' ? 100.0 : (float) rtrim($entry->name, '%');
        }

        return $this->literal(round($share, 2) < 100.0);
    }

    private function literal(bool $mayBeEmpty): PossibleValues
    {
        $values = $mayBeEmpty ? PossibleValues::text('') : PossibleValues::none();

        foreach ($this->entries() as $entry) {
            $values = $values->or(PossibleValues::text($entry->argument(0) ?? ''));
        }

        return $values;
    }

    private function exact(string $source): ?Directive
    {
        foreach ($this->entries() as $entry) {
            $key = str_starts_with($entry->name, '\\') ? substr($entry->name, 1) : $entry->name;
            $isText = $entry->name !== 'default' && ! str_starts_with($entry->name, '~');

            if ($isText && strtolower($key) === strtolower($source)) {
                return $entry;
            }
        }

        return null;
    }

    /** The longest name with an asterisk before it, then the longest with one behind it. */
    private function wildcard(string $source): ?Directive
    {
        if ($this->first('hostnames') === null) {
            return null;
        }

        $host = strtolower($source);
        $before = [];
        $behind = [];

        foreach ($this->entries() as $entry) {
            $name = strtolower($entry->name);

            // An asterisk is one label at the least.
            $isBelow = strlen($host) >= strlen($name) && str_ends_with($host, substr($name, 1));

            if (str_starts_with($name, '*.') && $isBelow) {
                $before[] = $entry;
            } elseif (str_starts_with($name, '.') && (str_ends_with($host, $name) || $host === substr($name, 1))) {
                $before[] = $entry;
            } elseif (str_ends_with($name, '.*') && str_starts_with($host, substr($name, 0, -1))) {
                $behind[] = $entry;
            }
        }

        $length = static fn (Directive $entry): int => strlen(trim($entry->name, '*'));
        $longest = static fn (Directive $a, Directive $b): int => $length($b) <=> $length($a);
        usort($before, $longest);
        usort($behind, $longest);

        return $before[0] ?? $behind[0] ?? null;
    }

    /** @param array<array-key, string> $captures */
    private function expression(string $source, array &$captures): ?Directive
    {
        foreach ($this->entries() as $entry) {
            if (! str_starts_with($entry->name, '~') || $source === '') {
                continue;
            }

            $anyCase = str_starts_with($entry->name, '~*');
            $pattern = str_replace("\x01", '\x01', substr($entry->name, $anyCase ? 2 : 1));

            if (@preg_match("\x01{$pattern}\x01".($anyCase ? 'i' : ''), $source, $captures) === 1) {
                return $entry;
            }
        }

        return null;
    }

    /** @return list<Directive> those that have a value for the variable */
    private function entries(): array
    {
        $parameters = self::PARAMETERS[$this->directive->name] ?? [];

        return array_values(
            array_filter(
                $this->directive->block?->directives() ?? [],
                static fn (Directive $entry): bool => ! in_array($entry->name, $parameters, true),
            ),
        );
    }

    private function first(string $name): ?Directive
    {
        return $this->directive->block?->first($name);
    }
}
