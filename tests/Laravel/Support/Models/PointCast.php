<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Models;

use Illuminate\Contracts\Database\Eloquent\CastsAttributes;
use Illuminate\Database\Eloquent\Model;

/**
 * A cast of two columns.
 *
 * @implements CastsAttributes<array{int, int}, array{int, int}>
 */
final class PointCast implements CastsAttributes
{
    public function get(Model $model, string $key, mixed $value, array $attributes): array
    {
        return [(int) ($attributes['x'] ?? 0), (int) ($attributes['y'] ?? 0)];
    }

    public function set(Model $model, string $key, mixed $value, array $attributes): array
    {
        return is_array($value) ? ['x' => $value[0], 'y' => $value[1]] : [];
    }
}
