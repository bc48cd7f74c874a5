<?php

declare(strict_types=1);

namespace Workbench\App\Models;

use Illuminate\Database\Eloquent\Model;

/**
 * One request of an access log. The client's id is in `seq`, which is not unique: a duplicate shall be seen.
 */
final class PageView extends Model
{
    public const UPDATED_AT = null;

    protected $table = 'page_views';

    protected $guarded = [];

    /** @return array<string, string> */
    protected function casts(): array
    {
        return ['time' => 'datetime', 'status' => 'integer', 'bytes' => 'integer'];
    }
}
