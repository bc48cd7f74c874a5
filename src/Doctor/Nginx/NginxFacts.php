<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx;

use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\Directives\AccessLog;
use Headroom\Doctor\Nginx\Directives\Defaults;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\Directives\ListenAddress;
use Headroom\Doctor\Nginx\Directives\LogFormat;
use Headroom\Doctor\Nginx\Directives\NginxSetting;
use Headroom\Doctor\Nginx\Directives\ProxyPass;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Variables\VariableValues;

/**
 * The configuration of one nginx, as checks ask for it.
 *
 * @internal
 */
final readonly class NginxFacts
{
    private Defaults $defaults;

    private VariableValues $variables;

    /**
     * @param ?NginxVersion $version null where it is not known; defaults that have changed are not known either
     * @param int $cpus the value of worker_processes auto
     */
    public function __construct(public NginxConfig $config, public ?NginxVersion $version, public int $cpus)
    {
        $this->defaults = new Defaults($version);
        $this->variables = new VariableValues($config);
    }

    public function workerProcesses(): NginxSetting
    {
        return $this->outside('worker_processes');
    }

    /** Null where nginx would refuse the value. */
    public function workers(): ?int
    {
        $setting = $this->workerProcesses();

        return $setting->value() === 'auto' ? $this->cpus : $setting->number();
    }

    public function workerConnections(): NginxSetting
    {
        $events = $this->config->blocks('events')[0] ?? null;

        return $events === null
            ? $this->defaults->of('worker_connections')
            : $this->setting('worker_connections', $events);
    }

    /** Null where workers may have as many descriptors as the master was started with. */
    public function workerRlimitNofile(): ?NginxSetting
    {
        $directive = $this->config->main->first('worker_rlimit_nofile');

        return $directive === null ? null : NginxSetting::fromDirective($directive);
    }

    /** The value of an inherited directive at a place of the configuration. */
    public function setting(string $name, Directive $place): NginxSetting
    {
        return $this->config->setting($name, $place, $this->defaults);
    }

    /**
     * @return list<NginxSetting> the values in servers and locations: each directive once, and the default once
     */
    public function settings(string $name): array
    {
        $settings = [];

        foreach ($this->config->places() as $place) {
            $setting = $this->setting($name, $place);
            $settings[$setting->source] ??= $setting;
        }

        return array_values($settings);
    }

    /** Which server and location a directive is in, by their names: lines move. */
    public function place(Directive $directive): string
    {
        $words = [];

        foreach ($directive->path() as $block) {
            if ($block->name === 'server' && $block->block !== null) {
                $name = $block->block->first('server_name')?->argument(0);
                $words[] = in_array($name, [null, '', '_'], true)
                    ? 'server '.($block->block->first('listen')?->argument(0) ?? '80')
                    : "server {$name}";
            } elseif ($block->name === 'location') {
                $words[] = 'location '.implode(' ', $block->arguments);
            }
        }

        return $words === [] ? 'http' : implode(', ', $words);
    }

    /** @return list<Directive> */
    public function servers(): array
    {
        return $this->config->blocks('http', 'server');
    }

    /** @return list<Upstream> */
    public function upstreams(): array
    {
        return array_map(
            fn (Directive $directive): Upstream => Upstream::fromDirective($directive, $this->defaults),
            $this->config->blocks('http', 'upstream'),
        );
    }

    /** @return list<FastcgiPass> */
    public function passes(): array
    {
        return array_map(
            fn (Directive $directive): FastcgiPass => FastcgiPass::fromDirective(
                $directive,
                $this->config,
                $this->defaults,
                $this->variables,
            ),
            $this->config->inHttp('fastcgi_pass'),
        );
    }

    /** @return list<Listen> */
    public function listens(): array
    {
        $listens = [];

        foreach ($this->servers() as $server) {
            $own = array_map(Listen::fromDirective(...), $server->block?->named('listen') ?? []);
            array_push($listens, ...($own === [] ? [Listen::byDefault()] : $own));
        }

        return $listens;
    }

    /** @return list<LogFormat> those that are written and combined */
    public function logFormats(): array
    {
        return [
            LogFormat::combined(), ...array_map(LogFormat::fromDirective(...), $this->config->inHttp('log_format')),
        ];
    }

    public function logFormat(string $name): ?LogFormat
    {
        foreach ($this->logFormats() as $format) {
            if ($format->name === $name) {
                return $format;
            }
        }

        return null;
    }

    /** @return list<LogFormat> that an access_log may name where it stands: nginx knows none that is written below */
    public function logFormatsAbove(Directive $log): array
    {
        $formats = [LogFormat::combined()];
        $path = $log->path();

        foreach ($path[0]->block?->directives() ?? [] as $directive) {
            if ($directive === ($path[1] ?? null)) {
                break;
            }

            if ($directive->name === 'log_format') {
                $formats[] = LogFormat::fromDirective($directive);
            }
        }

        return $formats;
    }

    /** @return list<AccessLog> those that are written to from some server or location, each once */
    public function accessLogs(): array
    {
        $logs = [];

        foreach ($this->config->places() as $place) {
            $directives = $this->config->nearest('access_log', $place);
            $off = array_filter($directives, static fn (Directive $log): bool => $log->argument(0) === 'off');

            if ($directives === []) {
                $logs[''] = AccessLog::byDefault();
            }

            foreach ($off === [] ? $directives : [] as $log) {
                $logs[spl_object_id($log)] = AccessLog::fromDirective($log);
            }
        }

        return array_values($logs);
    }

    /** @return list<AccessLog> the logs of the requests of a place */
    public function accessLogsAt(Directive $place): array
    {
        $directives = $this->config->nearest('access_log', $place);

        return match (true) {
            $directives === [] => [AccessLog::byDefault()],
            array_filter($directives, static fn (Directive $log): bool => $log->argument(0) === 'off') !== [] => [],
            default => array_map(AccessLog::fromDirective(...), $directives),
        };
    }

    /** @return list<ProxyPass> */
    public function proxies(): array
    {
        return array_map(
            fn (Directive $directive): ProxyPass
                => ProxyPass::fromDirective($directive, $this->config, $this->defaults),
            $this->config->inHttp('proxy_pass'),
        );
    }

    /** @return list<Directive> servers that take what is sent to this address, under any name in the request */
    public function serversAt(ListenAddress $target): array
    {
        return array_values(array_filter($this->servers(), static function (Directive $server) use ($target): bool {
            $listens = array_map(Listen::fromDirective(...), $server->block?->named('listen') ?? []);

            foreach ($listens === [] ? [Listen::byDefault()] : $listens as $listen) {
                if (ListenAddress::at($listen->address, 80)?->takes($target) === true) {
                    return true;
                }
            }

            return false;
        }));
    }

    /** @return list<Directive> each of them looks for files on every request of its location */
    public function tryFiles(): array
    {
        return $this->config->inHttp('try_files');
    }

    private function outside(string $name): NginxSetting
    {
        $directive = $this->config->main->first($name);

        return $directive === null ? $this->defaults->of($name) : NginxSetting::fromDirective($directive);
    }
}
