<?php

declare(strict_types=1);

namespace Workbench\App\Models;

use Headroom\Laravel\Eloquent\BuffersWrites;
use Illuminate\Database\Eloquent\Concerns\HasUlids;
use Illuminate\Database\Eloquent\Model;
use LogicException;

/**
 * Who did what to which model. Written once: what may be changed proves nothing.
 */
final class Activity extends Model
{
    use BuffersWrites;
    use HasUlids;

    public const CREATED_AT = 'happened_at';

    public const UPDATED_AT = null;

    protected $fillable = ['actor_id', 'ip', 'action', 'subject_type', 'subject_id', 'old', 'new'];

    protected $attributes = ['old' => '[]', 'new' => '[]'];

    protected static function booted(): void
    {
        self::updating(fn () => throw new LogicException('An activity cannot be changed.'));
        self::deleting(fn () => throw new LogicException('An activity cannot be removed.'));
    }

    protected function casts(): array
    {
        return ['old' => 'array', 'new' => 'array'];
    }
}
