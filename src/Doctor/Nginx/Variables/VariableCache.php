<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Variables;

use Headroom\Doctor\Nginx\Config\Directive;

/**
 * A map is looked up once a request and keeps its value, unless it is volatile: what is set after that does not count.
 *
 * @internal
 */
final readonly class VariableCache
{
    /** @param array<array-key, list<Directive>> $makers by the name of their variable */
    public function __construct(private array $makers) {}

    /** Whether a request may ask for the variable before a `set` of that server has changed what it is made of. */
    public function mayBeStale(string $name, Directive $server): bool
    {
        $made = $this->madeOf($name);
        $asking = [$name];

        foreach ($this->makers as $other => $blocks) {
            if (in_array($name, $this->madeOf((string) $other), true)) {
                $asking[] = (string) $other;
            }
        }

        $isAsked = false;

        foreach ($server->block?->directives() ?? [] as $directive) {
            foreach ([$directive, ...$directive->name === 'if' ? self::below($directive) : []] as $one) {
                if ($isAsked && self::sets($one, $made)) {
                    return true;
                }

                $isAsked = $isAsked || self::mentions($one, $asking);
            }
        }

        return $this->isSetLater($server, $made, $asking);
    }

    /**
     * Whether a location sets one of them, and the variable is asked for in more than one place.
     *
     * @param list<string> $made
     * @param list<string> $asking
     */
    private function isSetLater(Directive $server, array $made, array $asking): bool
    {
        $isSet = false;
        $count = 0;

        foreach (self::below($server) as $directive) {
            $isSet = $isSet || ($directive->parent !== $server && self::sets($directive, $made));
            $count += self::mentions($directive, $asking) ? 1 : 0;
        }

        return $isSet && $count > 1;
    }

    /** @return list<string> variables that a map, and those that it is made of, are made of */
    private function madeOf(string $name): array
    {
        $made = [];
        $open = [$name];

        while (($next = array_pop($open)) !== null) {
            foreach ($this->makers[$next] ?? [] as $block) {
                $words = $block->arguments;
                array_pop($words);

                foreach ($block->block?->directives() ?? [] as $entry) {
                    array_push($words, ...$entry->arguments);
                }

                foreach (array_map(strtolower(...), VariableNames::in(implode(' ', $words))) as $found) {
                    if (! in_array($found, $made, true)) {
                        $made[] = $found;
                        $open[] = $found;
                    }
                }
            }
        }

        return $made;
    }

    /** @return list<Directive> all that stands in a block and in those in it */
    private static function below(Directive $block): array
    {
        $found = [];

        foreach ($block->block?->directives() ?? [] as $directive) {
            array_push($found, $directive, ...self::below($directive));
        }

        return $found;
    }

    /** @param list<string> $names */
    private static function sets(Directive $directive, array $names): bool
    {
        return $directive->name === 'set'
            && in_array(strtolower(substr($directive->argument(0) ?? '', 1)), $names, true);
    }

    /** @param list<string> $names */
    private static function mentions(Directive $directive, array $names): bool
    {
        $words = $directive->arguments;

        if ($directive->name === 'set') {
            $words = [$directive->argument(1) ?? ''];
        }

        return array_intersect(array_map(strtolower(...), VariableNames::in(implode(' ', $words))), $names) !== [];
    }
}
