<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Variables;

use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\NginxConfig;

/**
 * The values that a variable can have by map, geo, split_clients and by `set` of the rewrite module. The value of any
 * other variable, and of a capture of a regular expression, is known only during a request.
 *
 * @internal
 */
final class VariableValues
{
    /** Blocks of http that define a variable, which is the last of their arguments. */
    private const MAKERS = ['map', 'geo', 'split_clients'];

    /** Blocks with entries in place of directives. */
    private const DATA = ['map', 'geo', 'split_clients', 'types', 'charset_map'];

    /** Blocks of nginx's own modules: a directive in a block of another module may have any meaning. */
    private const BLOCKS = ['http', 'upstream', 'server', 'location', 'if', 'limit_except'];

    /** Directives that read a variable. Any other directive that names one may give it its value. */
    private const READERS = '/\A(?:access_log|add_header|add_trailer|alias|auth_basic(?:_user_file)?|charset'
        .'|early_hints|error_log|error_page|expires|hash|http2_push|if|image_filter|index|limit_\w+|location|log_format'
        .'|mirror|return|rewrite|root|secure_link(?:_md5)?|server|server_name|sticky|sub_filter|try_files'
        .'|(?:fastcgi|grpc|image_filter|memcached|proxy|scgi|ssl|tunnel|userid|uwsgi|xslt)_\w+)\z/';

    /** @var array<string, list<Directive>> by name of the variable */
    private array $makers = [];

    /** @var array<string, true> */
    private array $set = [];

    /** @var array<string, string> why a value is not known, by name of the variable */
    private array $foreign = [];

    public function __construct(private readonly NginxConfig $config)
    {
        foreach ($config->blocks('http') as $http) {
            $this->collect($http);
        }
    }

    /**
     * All values of a text with variables.
     *
     * @param array<string, PossibleValues> $set values that `set` has given until then
     * @param array<array-key, string> $captures of a regular expression that matched, by number and name
     * @param list<string> $open variables that are being resolved
     */
    public function of(
        string $text,
        ?Directive $server,
        array $set = [],
        array $captures = [],
        array $open = [],
    ): PossibleValues {
        $values = PossibleValues::text('');

        // A capture has one digit: $12 is the first one, and a 2.
        preg_match_all('/\$(?|\{(\w+)\}|([1-9])|(\w+))|[^$]+|\$/s', $text, $pieces, PREG_SET_ORDER);

        foreach ($pieces as $piece) {
            $name = $piece[1] ?? '';
            $captured = $captures[$name] ?? null;

            $values = $values->then(match (true) {
                $name === '' => PossibleValues::text($piece[0]),
                $captured !== null => PossibleValues::text($captured),
                default => $this->variable(strtolower($name), $server, $set, $open),
            });
        }

        return $values;
    }

    /**
     * @param array<string, PossibleValues> $set
     * @param list<string> $open
     */
    public function variable(string $name, ?Directive $server, array $set = [], array $open = []): PossibleValues
    {
        $foreign = isset($this->foreign[$name])
            ? PossibleValues::unknown($this->foreign[$name])
            : PossibleValues::none();

        if (isset($set[$name])) {
            return $set[$name]->or($foreign);
        }

        if (in_array($name, $open, true)) {
            return PossibleValues::unknown("\${$name} is made of itself");
        }

        $values = $foreign;

        foreach ($this->makers[$name] ?? [] as $block) {
            $values = $values->or((new VariableBlock($this, $block))->values($server, $set, [...$open, $name]));
        }

        $isKept = $server !== null && $this->isKept($name);

        if ($isKept && (new VariableCache($this->makers))->mayBeStale($name, $server)) {
            $values = $values->or(
                PossibleValues::unknown("\${$name} keeps the value that it had when it was first asked for"),
            );
        }

        return match (true) {
            isset($this->makers[$name]), isset($this->foreign[$name]) => $values,
            // A variable of a `set` that has not run yet is empty.
            isset($this->set[$name]) => PossibleValues::text(''),
            default => $this->builtIn($name, $server),
        };
    }

    /** Whether it is not looked up again each time. */
    private function isKept(string $name): bool
    {
        $makers = $this->makers[$name] ?? [];
        $isVolatile = static fn (Directive $block): bool => $block->block?->first('volatile') !== null;
        $volatile = array_filter($makers, $isVolatile);

        return count($volatile) < count($makers);
    }

    private function builtIn(string $name, ?Directive $server): PossibleValues
    {
        $first = $server?->block?->first('server_name')?->argument(0) ?? '';
        $isPlain = preg_match('/\A[\w.*-]*\z/', $first) === 1;

        return match (true) {
            $name === 'server_name' && $server !== null && $isPlain => PossibleValues::text(
                strtolower(str_starts_with($first, '.') ? substr($first, 1) : $first),
            ),
            $name === 'scheme' => PossibleValues::text('http')->or(PossibleValues::text('https')),
            default => PossibleValues::unknown("\${$name} is known only when a request comes"),
        };
    }

    private function collect(Directive $block): void
    {
        foreach ($block->block?->directives() ?? [] as $directive) {
            $this->note($directive);

            if ($directive->block !== null) {
                $this->collect($directive);
            }
        }
    }

    private function note(Directive $directive): void
    {
        $arguments = $directive->arguments;
        $last = array_pop($arguments);
        $name = self::name($last);
        $isMaker = in_array($directive->name, self::MAKERS, true) && $directive->block !== null;

        if ($isMaker && $name !== null) {
            $this->makers[$name][] = $directive;
        } elseif ($directive->name === 'set') {
            $this->set[self::name($directive->argument(0)) ?? ''] = true;
        } elseif (! in_array($directive->parent?->name, self::DATA, true) && ! self::reads($directive)) {
            $names = array_map(self::name(...), [$directive->name, ...$directive->arguments]);

            foreach (array_filter($names, is_string(...)) as $one) {
                $this->foreign[$one] ??= "\${$one} may be given its value by {$directive->name}"
                    ." ({$directive->where()})";
            }
        }

        // Keys of a map, names of a server, paths of a location, conditions: each may be a regular expression.
        preg_match_all(
            '/\(\?P?[<\'](\w+)[>\']/',
            implode(' ', [$directive->name, ...$directive->arguments]),
            $captured,
        );

        foreach ($captured[1] as $one) {
            $this->foreign[strtolower($one)]
                ??= "\${$one} is what a regular expression captures ({$directive->where()})";
        }
    }

    private static function reads(Directive $directive): bool
    {
        $blocks = array_column($directive->parent?->path() ?? [], 'name');

        return preg_match(self::READERS, $directive->name) === 1 && array_diff($blocks, self::BLOCKS) === [];
    }

    private static function name(?string $word): ?string
    {
        return preg_match('/\A\$(\w+)\z/', $word ?? '', $m) === 1 ? strtolower($m[1]) : null;
    }
}
