<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Variables\PossibleValues;
use Headroom\Doctor\Nginx\Variables\RewritePhase;
use Headroom\Doctor\Nginx\Variables\VariableNames;
use Headroom\Doctor\Nginx\Variables\VariableValues;

/**
 * A place where requests go to FPM, with what holds there.
 *
 * @internal
 */
final readonly class FastcgiPass
{
    /**
     * @param string $address as written, perhaps with variables
     * @param ?Directive $scriptFilename the fastcgi_param that PHP goes by
     * @param list<Directive> $settings each fastcgi_param that is called PHP_VALUE or PHP_ADMIN_VALUE
     */
    private function __construct(
        public Directive $directive,
        public string $address,
        public PassTargets $targets,
        public NginxSetting $keepConn,
        public NginxSetting $connectTimeout,
        public NginxSetting $sendTimeout,
        public NginxSetting $readTimeout,
        public NginxSetting $nextUpstream,
        public NginxSetting $buffering,
        public NginxSetting $bufferSize,
        public NginxSetting $buffers,
        public NginxSetting $cache,
        public ?Directive $scriptFilename,
        private array $settings,
    ) {}

    public static function fromDirective(
        Directive $directive,
        NginxConfig $config,
        Defaults $defaults,
        VariableValues $variables,
    ): self {
        $place = $directive->parent ?? $directive;
        $address = $directive->argument(0) ?? '';
        $setting = static fn (string $name): NginxSetting => $config->setting($name, $place, $defaults);
        // Of a name that is given twice PHP takes the last.
        $params = $config->nearest('fastcgi_param', $place);
        $files = array_filter($params, static fn (Directive $param): bool => $param->argument(0) === 'SCRIPT_FILENAME');

        return new self(
            $directive,
            $address,
            PassTargets::of(self::values($directive, $address, $variables), $config, $defaults),
            $setting('fastcgi_keep_conn'),
            $setting('fastcgi_connect_timeout'),
            $setting('fastcgi_send_timeout'),
            $setting('fastcgi_read_timeout'),
            $setting('fastcgi_next_upstream'),
            $setting('fastcgi_buffering'),
            $setting('fastcgi_buffer_size'),
            $setting('fastcgi_buffers'),
            $setting('fastcgi_cache'),
            array_pop($files),
            array_values(array_filter(
                $params,
                static fn (Directive $param): bool
                    => in_array($param->argument(0), ['PHP_VALUE', 'PHP_ADMIN_VALUE'], true),
            )),
        );
    }

    /**
     * Both are needed: FPM must not close the connection, and the upstream must keep it.
     *
     * @return list<Upstream> those to which nginx keeps connections, as far as is known
     */
    public function kept(): array
    {
        return $this->keepConn->is('on') ? array_values(
            array_filter(
                $this->targets->upstreams(),
                static fn (Upstream $upstream): bool => $upstream->keeps() === true,
            ),
        ) : [];
    }

    /**
     * Why nginx may keep connections to other upstreams as well.
     *
     * @param list<Upstream> $upstreams all that this nginx has
     */
    public function whetherMoreAreKept(array $upstreams): ?FactUnavailable
    {
        if (! $this->keepConn->is('on')) {
            return null;
        }

        foreach ($this->targets->upstreams() as $upstream) {
            if ($upstream->keeps() === null) {
                return FactUnavailable::because(
                    "Whether the upstream {$upstream->name} keeps connections is not known: "
                        .$upstream->keepalive->source,
                    'nginx -v',
                );
            }
        }

        $others = array_filter(
            $upstreams,
            fn (Upstream $upstream): bool => $upstream->keeps() !== false && $this->targets->maybe($upstream->name),
        );

        return $others === [] ? null : $this->unresolved();
    }

    /** Why it may lead to other targets than the known ones. */
    public function unresolved(): ?FactUnavailable
    {
        $names = implode('|', VariableNames::in($this->address));

        return $this->targets->rest === null ? null : FactUnavailable::because(
            "fastcgi_pass {$this->address} ({$this->directive->where()}) may lead to more than is known: "
                ."{$this->targets->rest}.",
            "sudo nginx -T | grep -nE '[$]\\{?({$names})\\b'   # \$upstream_addr in a log_format tells of each request",
        );
    }

    /** @return ?array{string, Directive} the value of a setting of PHP that goes with each request, as it is written */
    public function php(string $setting, bool $isAdmin): ?array
    {
        $found = null;

        foreach ($this->settings as $param) {
            $isMeant = $param->argument(0) === ($isAdmin ? 'PHP_ADMIN_VALUE' : 'PHP_VALUE');
            $line = '/^\s*'.preg_quote($setting, '/').'\s*=\s*"?([^"\n]*?)"?\s*$/m';

            if ($isMeant && preg_match_all($line, (string) $param->argument(1), $m) > 0) {
                $found = [$m[1][count($m[1]) - 1], $param];
            }
        }

        return $found;
    }

    /** The bytes of a response that stay in memory; null where an argument cannot be read. */
    public function bufferedBytes(): ?int
    {
        $count = Units::number($this->buffers->arguments[0] ?? '');
        $each = Units::bytes($this->buffers->arguments[1] ?? '');
        $head = $this->bufferSize->bytes();

        return $count === null || $each === null || $head === null ? null : $head + $count * $each;
    }

    private static function values(Directive $directive, string $address, VariableValues $variables): PossibleValues
    {
        if (VariableNames::in($address) === []) {
            return PossibleValues::text($address);
        }

        $server = array_values(
            array_filter($directive->path(), static fn (Directive $block): bool => $block->name === 'server'),
        )[0] ?? null;

        return $variables->of($address, $server, RewritePhase::before($directive, $variables));
    }
}
