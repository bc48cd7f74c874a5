<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Config;

use Headroom\Doctor\Evidence;

/**
 * The settings of one pool, or the global ones.
 *
 * @internal
 */
final readonly class PoolSettings
{
    /** Settings with paths, which are relative to the pool's prefix, or otherwise to FPM's. */
    private const PATHS = ['listen', 'pm.status_listen', 'slowlog', 'access.log', 'chroot', 'pid', 'error_log'];

    /** Each line of these settings has an effect. */
    private const ADDED = '/\A\w+\[(?:disable_functions|disable_classes|extension|zend_extension|)\]\z/';

    /**
     * @param array<string, PhpSetting> $settings by name, such as pm.max_children or php_admin_value[memory_limit]
     * @param ?string $origin file:line of the section's beginning, if known
     * @param list<PhpSetting> $overridden with another value that a later line of the same pool replaces
     */
    public function __construct(
        public string $name,
        public array $settings,
        public ?string $origin = null,
        public array $overridden = [],
    ) {}

    public function setting(string $name): ?PhpSetting
    {
        return $this->settings[$name] ?? null;
    }

    /** A setting of php.ini in the pool; php_admin_value, which a script cannot change, overrides php_value. */
    public function ini(string $name): ?PhpSetting
    {
        return $this->setting("php_admin_value[{$name}]") ?? $this->setting("php_value[{$name}]");
    }

    /** @return list<Evidence> */
    public function evidence(): array
    {
        return array_map(
            static fn (PhpSetting $setting): Evidence
                => new Evidence($setting->name, $setting->value, $setting->origin),
            array_values($this->settings),
        );
    }

    public function integer(string $name): ?int
    {
        return $this->setting($name)?->integer();
    }

    public function seconds(string $name): ?int
    {
        return $this->setting($name)?->seconds();
    }

    /** Null if it is not set. */
    public function text(string $name): ?string
    {
        $setting = $this->setting($name);

        return $setting?->isSet() === true ? $setting->value : null;
    }

    /** The last of two lines applies, but of two values of one ini setting or variable PHP 8.2 keeps the first. */
    public function contradicts(string $name, string $value): bool
    {
        $before = $this->setting($name);

        return $before !== null && $before->value !== $value && preg_match('/\[.+\]/', $name) === 1;
    }

    public function with(PhpSetting $setting): self
    {
        $settings = $this->settings;
        $before = str_ends_with($setting->name, '[]') ? $settings[$setting->name] ?? null : null;
        // A list, such as access.suppress_path[], grows. Any other setting is replaced.
        $settings[$setting->name] = $before === null
            ? $setting
            : new PhpSetting($setting->name, "{$before->value} {$setting->value}", $before->origin);
        $replaced = $before === null ? $this->settings[$setting->name] ?? null : null;
        $isOther = $replaced !== null && $replaced->value !== $setting->value;

        $overridden = $isOther ? [...$this->overridden, $replaced] : $this->overridden;

        return new self($this->name, $settings, $this->origin, $overridden);
    }

    /** A line that is read and has no effect. */
    public function withoutEffect(PhpSetting $setting): self
    {
        return new self($this->name, $this->settings, $this->origin, [...$this->overridden, $setting]);
    }

    /** @return list<array{PhpSetting, string}> a line without effect, and the name of the setting with effect */
    public function ineffective(): array
    {
        $found = array_map(static fn (PhpSetting $setting): array => [$setting, $setting->name], $this->overridden);

        foreach ($this->settings as $setting) {
            $admin = str_replace('php_value[', 'php_admin_value[', $setting->name);
            $effective = $admin === $setting->name ? null : $this->setting($admin);

            if ($effective !== null && $effective->value !== $setting->value) {
                $found[] = [$setting, $admin];
            }
        }

        return array_values(array_filter(
            $found,
            static fn (array $line): bool => preg_match(self::ADDED, $line[0]->name) !== 1,
        ));
    }

    /** @param ?string $prefix null if unknown */
    public function below(?string $prefix): self
    {
        $settings = $this->settings;

        foreach ($prefix === null ? [] : array_intersect(self::PATHS, array_keys($settings)) as $name) {
            $value = $settings[$name]->value;
            // A value with a colon, or a number, is an address; syslog is not a path either.
            $isPath = preg_match('#\A(?!/|\d+\z|syslog\z|$)[^:]+\z#', $value) === 1;
            $settings[$name] = $isPath
                ? new PhpSetting($name, "{$prefix}/{$value}", $settings[$name]->origin)
                : $settings[$name];
        }

        return new self($this->name, $settings, $this->origin, $this->overridden);
    }

    /** The same values, with their lines if these are known. */
    public function locatedBy(?self $written): self
    {
        return new self($this->name, array_map(
            static fn (PhpSetting $setting): PhpSetting
                => $setting->from($written?->setting($setting->name)->origin ?? $setting->origin),
            $this->settings,
        ), $written->origin ?? $this->origin, $written->overridden ?? []);
    }
}
