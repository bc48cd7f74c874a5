<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\PhpSetting;
use Headroom\Doctor\Fpm\Config\PoolSettings;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\ApplicationRoots;
use Headroom\Doctor\Fpm\Runtime\PoolRuntime;
use Headroom\Doctor\Fpm\Runtime\RuntimeReader;
use Headroom\Doctor\Fpm\Runtime\UnreadableRuntime;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;
use Headroom\Doctor\Nginx\Config\NginxConfig;
use Headroom\Doctor\Nginx\NginxFacts;
use Headroom\Doctor\Nginx\NginxMaster;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Nginx\NginxVersion;
use Headroom\Host\Fpm\Address;
use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;

/**
 * An nginx and a PHP-FPM that a test describes, on a machine whose /proc has nothing else.
 */
final readonly class WebServers
{
    private TemporaryDirectory $root;

    public function __construct()
    {
        $this->root = TemporaryDirectory::create('web-servers');
        mkdir("{$this->root->path}/proc");
        mkdir("{$this->root->path}/usr/bin", recursive: true);
        $this->root->write('usr/bin/sudo', '');
    }

    public function __destruct()
    {
        $this->root->remove();
    }

    public function path(string $name, string $text = ''): string
    {
        return $text === '' ? $this->root->file($name) : $this->root->write($name, $text);
    }

    /**
     * @param array<int, ?NginxConfig> $configs by the pid of a master, whose one worker has the next;
     *     null for one that is not known
     */
    public function nginx(array $configs, ?string $version = '1.22.1'): NginxServers
    {
        foreach (array_keys($configs) as $pid) {
            $this->process($pid, 1, "nginx: master process nginx{$pid}", 'nginx');
            $this->process($pid + 1, $pid, 'nginx: worker process', 'nginx');
        }

        $number = $version === null ? null : NginxVersion::fromText("nginx version: nginx/{$version}");

        [$known, $unknown] = [[], []];

        foreach (NginxMaster::running(new Proc("{$this->root->path}/proc")) as $master) {
            $config = $configs[$master->pid] ?? null;

            if ($config === null) {
                $unknown[$master->pid] = FactUnavailable::because(
                    "No user may read the configuration of {$master->pid}.",
                    "sudo /opt/nginx-{$master->pid} -T",
                );
            } else {
                $known[] = new NginxServer(new NginxFacts($config, $number, 2), $master);
            }
        }

        return NginxServers::of($known, $unknown);
    }

    /**
     * @param array<string, array<string, string>> $pools settings by pool
     * @param array<string, string> $global
     * @param ?array<string, mixed> $runtime what the probe prints; null: it cannot be queried
     * @param array<string, int> $children a real process by pool, that stands for one of its own
     * @param array<string, int> $masters by pool, where it is not 70
     */
    public function fpm(
        array $pools,
        array $global = [],
        ?array $runtime = [],
        array $children = [],
        array $masters = [],
    ): FpmPools {
        foreach ([70, ...array_values($masters)] as $pid) {
            $this->process($pid, 1, "php-fpm: master process (/etc/php-fpm-{$pid}.conf)", 'php-fpm');
        }

        foreach ($children as $pool => $pid) {
            $this->process($pid, $masters[$pool] ?? 70, "php-fpm: pool {$pool}", 'php-fpm');
        }

        $running = array_column(
            RunningMaster::all(new KernelFiles($this->root->path), new Proc("{$this->root->path}/proc")),
            null,
            'pid',
        );
        $probe = $this->runtime($runtime);

        return new FpmPools(array_map(fn (string $name): FpmPool => new FpmPool(
            $running[$masters[$name] ?? 70],
            self::section(
                $name,
                $pools[$name]
                    + ['listen' => $this->root->file("{$name}.sock"), 'pm' => 'static', 'pm.max_children' => '4'],
            ),
            self::section('global', $global),
            null,
            probe: $probe,
            sockets: new ListenSockets(null),
        ), array_keys($pools)), [], []);
    }

    /** @param ?array<string, mixed> $values what a pool is told to answer; null: it cannot be queried */
    public function runtime(?array $values): RuntimeReader
    {
        return new class($values) implements RuntimeReader
        {
            /** @param ?array<string, mixed> $values */
            public function __construct(private ?array $values) {}

            public function roots(Address $address, array $documentRoots): ApplicationRoots
            {
                $told = ($this->values ?? throw UnreadableRuntime::notRun($address, 'a test says so'))['roots'] ?? [];

                return ApplicationRoots::fromProbe(
                    (string) json_encode((is_array($told) ? $told : []) + ['scripts' => 9, 'read' => true]),
                    $address,
                );
            }

            public function ask(Address $address): PoolRuntime
            {
                return $this->values === null
                    ? throw UnreadableRuntime::notRun($address, 'a test says so')
                    : PoolRuntime::fromProbe(
                        (string) json_encode(
                            $this->values
                                + ['version' => '8.2.0', 'sapi' => 'fpm-fcgi', 'extensions' => ['Zend OPcache']],
                        ),
                        $address,
                    );
            }
        };
    }

    /** @param array<string, string> $values */
    private static function section(string $name, array $values): PoolSettings
    {
        $settings = [];

        foreach ($values as $key => $value) {
            $settings[$key] = new PhpSetting($key, $value, 'php-fpm -tt');
        }

        return new PoolSettings($name, $settings);
    }

    private function process(int $pid, int $parent, string $title, string $name): void
    {
        is_dir("{$this->root->path}/proc/{$pid}") || mkdir("{$this->root->path}/proc/{$pid}");
        $this->root->write("proc/{$pid}/cmdline", $title);
        is_dir("{$this->root->path}/proc/self") || mkdir("{$this->root->path}/proc/self");
        $this->root->write('proc/self/mountinfo', "1 0 8:1 / / rw\n");
        $this->root->write("proc/{$pid}/mountinfo", "1 0 8:1 / / rw\n");
        $this->root->write("proc/{$pid}/status", "Uid:\t0\t0\t0\t0\n");
        $this->root->write("proc/{$pid}/stat", "{$pid} ({$name}) S {$parent} ".str_repeat('0 ', 48));
    }
}
